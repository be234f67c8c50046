//! Where the tools of a launched test are: the staged prefix, or another MPI's tools when the
//! environment names them. Called by every test binary first.

use std::env;
use std::path::{Path, PathBuf};

/// The compiler wrapper, the launcher and the Python that a launched test uses.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The C compiler wrapper.
    pub mpicc: PathBuf,
    /// The launcher.
    pub mpiexec: PathBuf,
    /// A Python that can import mpi4py.
    pub python: PathBuf,
    /// The environment names another MPI: the suite is run to test the suite itself.
    pub is_oracle: bool,
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_dir.parent().unwrap_or(crate_dir).to_path_buf()
}

/// The folder of build results.
pub fn target() -> PathBuf {
    repository().join("target")
}

/// Where Starling is staged: `STARLING_PREFIX`, or `target/starling`.
pub fn prefix() -> PathBuf {
    match env::var_os("STARLING_PREFIX") {
        Some(dir) => PathBuf::from(dir),
        None => target().join("starling"),
    }
}

impl Tools {
    /// Finds the tools in the environment and the staged prefix.
    ///
    /// `STARLING_TEST_MPICC` and `STARLING_TEST_MPIEXEC` (both or neither) name another MPI.
    ///
    /// # Errors
    /// A sentence that says what is missing and which command makes it.
    pub fn find() -> Result<Tools, String> {
        let other_cc = env::var_os("STARLING_TEST_MPICC").map(PathBuf::from);
        let other_exec = env::var_os("STARLING_TEST_MPIEXEC").map(PathBuf::from);
        let (mpicc, mpiexec, is_oracle) = match (other_cc, other_exec) {
            (Some(cc), Some(exec)) => (cc, exec, true),
            (None, None) => {
                let bin = prefix().join("bin");
                (bin.join("mpicc"), bin.join("mpiexec"), false)
            }
            _ => return Err("set both STARLING_TEST_MPICC and STARLING_TEST_MPIEXEC".into()),
        };
        for tool in [&mpicc, &mpiexec] {
            if !tool.exists() {
                let tool = tool.display();
                return Err(format!(
                    "{tool} does not exist; `make test` stages it (STARLING_PREFIX names another \
                     prefix)"
                ));
            }
        }
        let python = match env::var_os("STARLING_PYTHON") {
            Some(path) => PathBuf::from(path),
            None => target().join("venv/bin/python"),
        };
        Ok(Tools { mpicc, mpiexec, python, is_oracle })
    }

    /// The folder for what is compiled with these tools; two MPIs never share one.
    pub fn build_dir(&self) -> PathBuf {
        let name = match (self.is_oracle, env::var_os("STARLING_PREFIX")) {
            (false, None) => "starling".to_owned(),
            _ => self.mpicc.to_string_lossy().replace('/', "_"),
        };
        target().join("launched").join(name)
    }

    /// A job of `ranks` ranks of the launcher, with no program named yet.
    pub fn launch(&self, ranks: usize) -> std::process::Command {
        let mut command = std::process::Command::new(&self.mpiexec);
        if self.is_oracle && ranks > 2 {
            // MPICH polls without a pause; on a small machine it needs these to get anywhere.
            command.env("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1");
            command.env("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "8");
        }
        command.arg("-n").arg(ranks.to_string());
        command
    }
}
