//! Opening, closing, deleting (MPI 5.0, sections 14.2.1 to 14.2.3).
//!
//! Rank 0 of the group opens first, and makes the file where that is asked for; then the others
//! open what is there. If one cannot, all return an error.

use super::agree;
use super::amode::{self, APPEND, DELETE_ON_CLOSE, RDWR};
use super::failure::{errno, Failure};
use super::hints::Hints;
use super::job::Descriptor;
use super::mapped;
use super::shared::Shared;
use super::view::View;
use super::File;
use crate::coll::Coll;
use crate::comm::create::duplicate;
use crate::comm::Comm;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::info::Info;
use crate::rank::Rank;
use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// What a process asks for.
pub struct Opening {
    /// The file.
    pub path: PathBuf,
    /// The access mode.
    pub amode: i32,
    /// Hints.
    pub info: Info,
    /// The error handler that the file gets.
    pub errhandler: Option<Rc<Errhandler>>,
}

/// Names of file system drivers that programs written for other libraries put in front.
const PREFIXES: [&str; 6] = ["ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:"];

fn without_prefix(path: &Path) -> &Path {
    let text = path.as_os_str().as_bytes();
    let prefix = PREFIXES.iter().find(|p| text.starts_with(p.as_bytes()));
    prefix.map_or(path, |p| Path::new(std::ffi::OsStr::from_bytes(&text[p.len()..])))
}

/// What a process has when it has opened the file.
struct Opened {
    fd: OwnedFd,
    stat: libc::stat,
}

fn open_path(path: &Path, flags: i32, permissions: u32) -> std::result::Result<Opened, Failure> {
    let invalid = Failure { call: "open", offset: None, errno: libc::EINVAL };
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| invalid)?;
    let fd = loop {
        // SAFETY: a C string that lives during the call.
        let fd = unsafe { libc::open(name.as_ptr(), flags, permissions as libc::c_uint) };
        if fd >= 0 {
            // SAFETY: just opened, nobody else's.
            break unsafe { OwnedFd::from_raw_fd(fd) };
        }
        if errno() != libc::EINTR {
            return Err(Failure::last("open"));
        }
    };
    // SAFETY: all zeros are a valid stat.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, the structure is a local.
    if unsafe { libc::fstat(fd.as_raw_fd(), &mut stat) } != 0 {
        return Err(Failure::last("fstat"));
    }
    if stat.st_mode & libc::S_IFMT == libc::S_IFDIR {
        return Err(Failure { call: "open", offset: None, errno: libc::EISDIR });
    }
    Ok(Opened { fd, stat })
}

/// What rank 0 tells: error number, process, descriptor of the shared page, device, inode, size,
/// and five hints.
type Told = [u64; 11];

/// `MPI_File_open`. All processes of the communicator call it; one whose arguments are wrong
/// gives its error.
pub async fn open(c: Coll, asked: Result<Opening>) -> Result<Rc<File>> {
    let rank = c.rank;
    let comm = duplicate(c).await?;
    // SAFETY: what is moved on it belongs to this function and lives as long as it.
    let c = unsafe { Coll::new(rank, &comm) };
    let asked = asked.and_then(|asked| amode::check(asked.amode).map(|()| asked));
    let mode = asked.as_ref().map_or(0, |asked| asked.amode as u32 as u64);
    let all = agree::everybody(&c, [agree::code(&asked), mode]).await?;
    let asked = agree::decide(asked, all.iter().map(|[code, _]| *code))?;
    if all.iter().any(|[_, mode]| *mode != all[0][1]) {
        let text = "the processes give different access modes; they must be the same on all";
        return Err(Error::new(Class::NOT_SAME, text));
    }
    let mut hints = Hints::new(c.size());
    hints.apply(&asked.info, c.size());
    let name = asked.path.to_string_lossy().into_owned();
    let (opened, shared) = open_everywhere(&c, &asked, &mut hints, &name).await?;
    file(comm, asked, name, hints, opened, shared)
}

async fn open_everywhere(
    c: &Coll,
    asked: &Opening,
    hints: &mut Hints,
    name: &str,
) -> Result<(Opened, Shared)> {
    let path = without_prefix(&asked.path);
    let permissions = hints.permissions.unwrap_or(0o666);
    if c.me() == 0 {
        let made = open_path(path, amode::flags(asked.amode, true), permissions)
            .and_then(|opened| Ok((opened, Shared::create()?)));
        let told = match &made {
            Ok((opened, shared)) => told(opened, shared, hints, asked.amode),
            Err(failure) => [failure.errno as u64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        };
        agree::from_first(c, told).await?;
        let made = made.map_err(|failure| failure.error(name))?;
        return agree::agree(c, Ok(made)).await;
    }
    let told: Told = agree::from_first(c, [0; 11]).await?;
    let [failed, pid, page, device, inode, _, ..] = told;
    if failed != 0 {
        return Err(Failure { call: "open", offset: None, errno: failed as i32 }.error(name));
    }
    hints.set_words(told[6..].try_into().expect("five words of hints"));
    let mine = open_path(path, amode::flags(asked.amode, false), permissions)
        .and_then(|opened| Ok((opened, Shared::open(pid as u32, page as i32)?)));
    let mine = mine.map_err(|failure| failure.error(name)).and_then(|(opened, shared)| {
        match (opened.stat.st_dev, opened.stat.st_ino) == (device, inode) {
            true => Ok((opened, shared)),
            false => Err(Error::new(
                Class::NOT_SAME,
                format!(
                    "\"{name}\" names another file here than on rank 0; give all processes \
                         the same file, with its full path if their directories differ"
                ),
            )),
        }
    });
    agree::agree(c, mine).await
}

fn told(opened: &Opened, shared: &Shared, hints: &Hints, amode: i32) -> Told {
    let size = opened.stat.st_size as u64;
    if amode & APPEND != 0 {
        shared.set_pointer(size as i64);
    }
    let [nodes, buffer, read, write, unit] = hints.words();
    let (pid, page) = (std::process::id() as u64, shared.descriptor() as u64);
    let (device, inode) = (opened.stat.st_dev, opened.stat.st_ino);
    [0, pid, page, device, inode, size, nodes, buffer, read, write, unit]
}

fn file(
    comm: Rc<Comm>,
    asked: Opening,
    name: String,
    hints: Hints,
    opened: Opened,
    shared: Shared,
) -> Result<Rc<File>> {
    // Where the shared pointer was put is the end of the file for an append, else 0.
    let pointer = if asked.amode & APPEND != 0 { shared.pointer() } else { 0 };
    let path = without_prefix(&asked.path);
    // A file that could be opened has a full path; if the directory is gone, its name will do.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let is_regular = opened.stat.st_mode & libc::S_IFMT == libc::S_IFREG;
    let can_map = is_regular && asked.amode & RDWR != 0 && mapped::is_possible(&opened.fd);
    *comm.name.borrow_mut() = format!("the group of the file \"{name}\"");
    Ok(Rc::new(File {
        comm,
        name,
        path,
        amode: asked.amode,
        is_regular,
        descriptor: Arc::new(Descriptor { fd: opened.fd, can_map, range_lock: Mutex::new(()) }),
        shared,
        view: RefCell::new(Rc::new(View::bytes())),
        pointer: Cell::new(pointer),
        atomic: Cell::new(false),
        hints: RefCell::new(hints),
        split: RefCell::new(None),
        errhandler: RefCell::new(asked.errhandler),
        pending: Rc::default(),
    }))
}

/// `MPI_File_close`: waits for what is on its way, brings everything to the disk, and deletes the
/// file if it was opened so. The result is the same on all processes.
pub async fn close(c: Coll, file: Rc<File>) -> Result<()> {
    let synced = super::whole::synchronize(&c, &file).await;
    let mut removed = [0];
    if c.me() == 0 && file.amode & DELETE_ON_CLOSE != 0 {
        removed[0] = remove(&file.path).err().map_or(0, |failure| failure.errno as u64);
    }
    let [removed] = agree::from_first(&c, removed).await?;
    synced?;
    match removed {
        0 => Ok(()),
        errno => {
            let failure = Failure { call: "unlink", offset: None, errno: errno as i32 };
            Err(failure.error(&file.name))
        }
    }
}

fn remove(path: &Path) -> std::result::Result<(), Failure> {
    let invalid = Failure { call: "unlink", offset: None, errno: libc::EINVAL };
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| invalid)?;
    // SAFETY: a C string that lives during the call.
    match unsafe { libc::unlink(name.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Failure::last("unlink")),
    }
}

/// `MPI_File_delete`.
pub fn delete(path: &Path) -> Result<()> {
    remove(without_prefix(path)).map_err(|failure| failure.error(&path.to_string_lossy()))
}

impl File {
    /// Waits until no access of this process is on its way.
    pub fn drain(&self, rank: &'static Rank) -> Result<()> {
        rank.wait_until(None, || self.pending.get() == 0)
    }
}
