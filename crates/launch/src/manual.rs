//! Manual pages, made from the declaration of the options.

use crate::cli::options::Cli;
use crate::cli::usage::Refusal;
use clap::CommandFactory;

/// A page in the language of man(1): of `starling` or of one of its subcommands.
///
/// # Errors
/// When there is no such page.
pub fn page(name: &str) -> Result<String, Refusal> {
    let mut command = Cli::command();
    command.build();
    let command = match name {
        "starling" => command,
        "mpiexec" | "mpirun" => page_of(&command, "run")?,
        name => page_of(&command, name)?,
    };
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut bytes)
        .map_err(|error| Refusal::failure(format!("cannot write the page: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn page_of(command: &clap::Command, name: &str) -> Result<clap::Command, Refusal> {
    let found = command.find_subcommand(name).cloned();
    found.ok_or_else(|| Refusal::usage(format!("there is no page \"{name}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_show_the_options() {
        let run = page("run").unwrap();
        for text in [".TH", "bind\\-to", "Number of ranks", "outfile\\-pattern"] {
            assert!(run.contains(text), "{text} is missing in {run}");
        }
        assert!(page("starling").unwrap().contains("info"));
        assert_eq!(page("mpiexec").unwrap(), run);
        assert!(page("nothing").is_err());
    }
}
