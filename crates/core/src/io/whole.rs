//! Calls on a whole file: size, space, views, pointers, hints, consistency (MPI 5.0, sections
//! 14.2.4 to 14.2.8, 14.3, 14.4.3, 14.4.4, 14.6). Called by `abi`.

use super::agree::{agree, code, decide, everybody, from_first};
use super::amode;
use super::failure::{errno, Failure};
use super::view::View;
use super::File;
use crate::coll::Coll;
use crate::error::{Class, Error, Result};
use crate::info::Info;
use starling_datatype::Datatype;
use std::os::fd::AsRawFd;
use std::rc::Rc;

/// From where an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// `MPI_SEEK_SET`: the beginning of the view.
    Set,
    /// `MPI_SEEK_CUR`: where the pointer is.
    Current,
    /// `MPI_SEEK_END`: the end of the file.
    End,
}

impl File {
    /// Bytes of the file.
    pub fn size(&self) -> Result<u64> {
        // SAFETY: all zeros are a valid stat.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open, the structure is a local.
        match unsafe { libc::fstat(self.descriptor.fd.as_raw_fd(), &mut stat) } {
            0 => Ok(stat.st_size as u64),
            _ => Err(Failure::last("fstat").error(&self.name)),
        }
    }

    /// The same; `None` for what has no size, such as a device.
    pub(super) fn regular_size(&self) -> Option<u64> {
        if self.is_regular {
            self.size().ok()
        } else {
            None
        }
    }

    fn require_writable(&self) -> Result<()> {
        match self.amode & amode::RDONLY == 0 {
            true => Ok(()),
            false => {
                let text = format!("\"{}\" was opened with MPI_MODE_RDONLY", self.name);
                Err(Error::new(Class::READ_ONLY, text))
            }
        }
    }

    /// The offset that `offset` and `whence` mean, seen from `pointer`.
    fn target(&self, offset: i64, whence: Whence, pointer: i64) -> Result<i64> {
        let from = match whence {
            Whence::Set => 0,
            Whence::Current => pointer,
            Whence::End => self.view.borrow().end_of_file(self.size()?),
        };
        match from.checked_add(offset) {
            Some(target @ 0..) => Ok(target),
            _ => {
                let text = format!(
                    "the offset is {offset}, from {from}: a file pointer must not be negative"
                );
                Err(Error::new(Class::ARG, text))
            }
        }
    }

    /// `MPI_File_seek`
    pub fn seek(&self, offset: i64, whence: Whence) -> Result<()> {
        self.refuse_sequential()?;
        self.pointer.set(self.target(offset, whence, self.pointer.get())?);
        Ok(())
    }

    /// `MPI_File_get_position`
    pub fn position(&self) -> Result<i64> {
        self.refuse_sequential()?;
        Ok(self.pointer.get())
    }

    /// `MPI_File_get_position_shared`
    pub fn shared_position(&self) -> Result<i64> {
        self.refuse_sequential()?;
        Ok(self.shared.pointer())
    }

    /// `MPI_File_get_byte_offset`
    pub fn byte_offset(&self, offset: i64) -> Result<i64> {
        self.refuse_sequential()?;
        let view = self.view.borrow().clone();
        let stream = offset.checked_mul(view.unit as i64).filter(|n| *n >= 0);
        let Some(stream) = stream else {
            let text = format!("the offset is {offset}, which is negative or too large");
            return Err(Error::new(Class::ARG, text));
        };
        view.check_end(stream as u64)?;
        Ok(view.byte_at(stream as u64))
    }

    /// `MPI_File_get_type_extent`: bytes from one element of `ty` to the next in the file.
    pub fn type_extent(&self, ty: &Rc<Datatype>) -> Result<i64> {
        Ok(self.view.borrow().representation.in_file(ty)?.extent())
    }

    /// Where the view of a file for sequential access begins now (`MPI_DISPLACEMENT_CURRENT`).
    pub fn current_displacement(&self) -> i64 {
        let view = self.view.borrow();
        view.byte_at(self.shared.pointer() as u64 * view.unit)
    }

    /// Whether the file was opened for sequential access.
    pub fn is_sequential(&self) -> bool {
        self.amode & amode::SEQUENTIAL != 0
    }

    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        self.amode & amode::RDONLY == 0
    }
}

/// Everybody's value, if it is the same on all.
async fn same(c: &Coll, own: Result<u64>, what: &str) -> Result<u64> {
    let value = own.as_ref().map_or(0, |v| *v);
    let all = everybody(c, [code(&own), value]).await?;
    let own = decide(own, all.iter().map(|[code, _]| *code))?;
    match all.iter().all(|[_, value]| *value == own) {
        true => Ok(own),
        false => {
            let text = format!("the processes give different values of {what}");
            Err(Error::new(Class::NOT_SAME, text))
        }
    }
}

/// Rank 0 does it for all, who learn how it ended.
async fn once(
    c: &Coll,
    file: &File,
    call: &'static str,
    act: impl FnOnce() -> std::result::Result<(), Failure>,
) -> Result<()> {
    let mut outcome = [0];
    if c.me() == 0 {
        outcome[0] = act().err().map_or(0, |failure| failure.errno as u64);
    }
    match from_first(c, outcome).await? {
        [0] => Ok(()),
        [errno] => Err(Failure { call, offset: None, errno: errno as i32 }.error(&file.name)),
    }
}

/// Calls a system function until no signal interrupts it; it returns an error number.
fn retried(call: &'static str, mut act: impl FnMut() -> i32) -> std::result::Result<(), Failure> {
    loop {
        match act() {
            0 => return Ok(()),
            libc::EINTR => {}
            errno => return Err(Failure { call, offset: None, errno }),
        }
    }
}

fn number_of(rc: i32) -> i32 {
    if rc == 0 {
        0
    } else {
        errno()
    }
}

fn checked_size(file: &File, size: i64) -> Result<u64> {
    file.require_writable()?;
    match size {
        0.. => Ok(size as u64),
        _ => Err(Error::new(Class::ARG, format!("the size is {size}; it must not be negative"))),
    }
}

/// `MPI_File_set_size`
pub async fn set_size(c: Coll, file: Rc<File>, size: i64) -> Result<()> {
    let size = checked_size(&file, size).and_then(|n| file.refuse_sequential().map(|()| n));
    let size = same(&c, size, "size").await?;
    let fd = file.descriptor.fd.as_raw_fd();
    let set = || {
        // SAFETY: the descriptor is open.
        retried("ftruncate", || number_of(unsafe { libc::ftruncate(fd, size as i64) }))
    };
    file.shared.note_writing();
    once(&c, &file, "ftruncate", set).await
}

/// `MPI_File_preallocate`
pub async fn preallocate(c: Coll, file: Rc<File>, size: i64) -> Result<()> {
    let size = checked_size(&file, size).and_then(|n| file.refuse_sequential().map(|()| n));
    let size = same(&c, size, "size").await?;
    let fd = file.descriptor.fd.as_raw_fd();
    let reserve = || match size {
        0 => Ok(()),
        _ => retried("posix_fallocate", || {
            // SAFETY: the descriptor is open.
            unsafe { libc::posix_fallocate(fd, 0, size as i64) }
        }),
    };
    file.shared.note_writing();
    once(&c, &file, "posix_fallocate", reserve).await
}

/// `MPI_File_sync`: what was written by any process is on the disk, and seen by all. The
/// processes share the system's cache, so one call of the system serves all.
pub async fn sync(c: Coll, file: Rc<File>) -> Result<()> {
    synchronize(&c, &file).await
}

pub(super) async fn synchronize(c: &Coll, file: &File) -> Result<()> {
    everybody(c, [0]).await?;
    let fd = file.descriptor.fd.as_raw_fd();
    let sync = || {
        if !file.shared.take_writing() {
            return Ok(());
        }
        // SAFETY: the descriptor is open.
        match retried("fsync", || number_of(unsafe { libc::fsync(fd) })) {
            // What cannot be synchronised (a device, a pipe) has nothing to lose.
            Err(failure) if matches!(failure.errno, libc::EINVAL | libc::EROFS) => Ok(()),
            outcome => outcome,
        }
    };
    once(c, file, "fsync", sync).await
}

/// `MPI_File_set_atomicity`
pub async fn set_atomicity(c: Coll, file: Rc<File>, atomic: bool) -> Result<()> {
    let atomic = same(&c, Ok(atomic as u64), "flag").await?;
    file.atomic.set(atomic != 0);
    Ok(())
}

/// `MPI_File_set_view`: pointers begin anew. The view differs from process to process; the
/// representation and the extent of the etype are the same.
pub async fn set_view(c: Coll, file: Rc<File>, view: Result<View>, info: Info) -> Result<()> {
    let name = |view: &View| {
        view.representation.name().bytes().fold(7, |h: u64, b| h * 31 % 0xffff_fffb + b as u64)
    };
    let mine = match &view {
        Ok(view) => [0, name(view), view.unit],
        Err(_) => [code(&view), 0, 0],
    };
    let all = everybody(&c, mine).await?;
    let view = decide(view, all.iter().map(|[code, ..]| *code))?;
    if all.iter().any(|words| *words != all[0]) {
        let text = "the processes give different data representations or sizes of the etype";
        return Err(Error::new(Class::NOT_SAME, text));
    }
    if c.me() == 0 {
        file.shared.set_pointer(0);
    }
    file.pointer.set(0);
    *file.view.borrow_mut() = Rc::new(view);
    set_hints(&c, &file, &info).await
}

/// `MPI_File_set_info`
pub async fn set_info(c: Coll, file: Rc<File>, info: Result<Info>) -> Result<()> {
    let info = agree(&c, info).await?;
    set_hints(&c, &file, &info).await
}

/// What has to be the same on all is what rank 0 wants.
async fn set_hints(c: &Coll, file: &File, info: &Info) -> Result<()> {
    let mut hints = file.hints.borrow().clone();
    hints.apply(info, c.size());
    hints.set_words(from_first(c, hints.words()).await?);
    *file.hints.borrow_mut() = hints;
    Ok(())
}

/// `MPI_File_seek_shared`
pub async fn seek_shared(
    c: Coll,
    file: Rc<File>,
    offset: i64,
    whence: Result<Whence>,
) -> Result<()> {
    let target = file
        .refuse_sequential()
        .and(whence)
        .and_then(|whence| file.target(offset, whence, file.shared.pointer()));
    let target = same(&c, target.map(|n| n as u64), "offset or whence").await?;
    // Everybody has looked at the pointer; it is moved once, and seen before anybody goes on.
    if c.me() == 0 {
        file.shared.set_pointer(target as i64);
    }
    from_first(&c, [0]).await.map(drop)
}
