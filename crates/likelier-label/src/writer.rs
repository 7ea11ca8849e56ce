//! The one thread that writes. Requests that wait for it are stored together: one transaction, one flush to the disk, and
//! only then are all of them told that they are safe.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::refused::Refused;
use crate::session::Session;
use crate::store::{Store, Tidying};

/// Requests in one transaction at the most.
const TOGETHER: usize = 256;

type Reply = Box<dyn FnOnce(Option<Refused>) + Send>;
type Work = Box<dyn FnOnce(&mut Session) -> (Reply, bool) + Send>;

/// A way to the thread.
#[derive(Clone, Debug)]
pub(crate) struct Writer(Sender<Work>);

impl Writer {
    /// Starts the thread. It ends, and gives the file back, when no way to it is left.
    pub(crate) fn start(session: Session) -> (Self, JoinHandle<Store>) {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || run(session, &receiver));
        (Self(sender), thread)
    }

    /// Does something and stores it; the answer comes when it is on the disk.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Session) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let (sender, receiver) = oneshot::channel();
        let work: Work = Box::new(move |session| {
            let done = session.store().run("SAVEPOINT request").map_err(Refused::from);
            let done = done.and_then(|()| work(session));
            let undone = done.is_err();
            let close = if undone { "ROLLBACK TO request; RELEASE request" } else { "RELEASE request" };
            let closed = session.store().run(close).map_err(Refused::from);
            let broken = closed.is_err() || done.as_ref().err().is_some_and(Refused::is_of_the_file);
            let done = closed.and(done);
            let reply = Box::new(move |failed: Option<Refused>| {
                // Whoever asked may be gone.
                let _ = sender.send(failed.map_or(done, Err));
            });
            (reply, broken)
        });
        self.0.send(work).map_err(|_| Refused::Stopping)?;
        receiver.await.map_err(|_| Refused::Stopping)?
    }
}

fn run(mut session: Session, requests: &Receiver<Work>) -> Store {
    let tidying = Tidying::of(session.store().path());
    while let Ok(first) = requests.recv() {
        let waiting: Vec<Work> = requests.try_iter().take(TOGETHER - 1).collect();
        let mut failed = session.store().run("BEGIN IMMEDIATE").map_err(Refused::from).err();
        let (mut replies, mut broken) = (Vec::new(), failed.is_some());
        for work in std::iter::once(first).chain(waiting) {
            if failed.is_some() {
                // Dropping it tells whoever asked; they try again.
                continue;
            }
            let (reply, damaged) = work(&mut session);
            broken |= damaged;
            replies.push(reply);
        }
        if failed.is_none() {
            // Where there was no room, SQLite has ended the transaction already, and nothing of it is stored.
            let ended = session.store().connection().is_autocommit();
            failed = if ended {
                Some(Refused::DiskFull)
            } else {
                session.store().run("COMMIT").err().map(Refused::from)
            };
            if failed.is_some() {
                let _ = session.store().run("ROLLBACK");
                broken = true;
            }
        }
        if broken {
            // Memory is ahead of the file. If the file cannot be read either, the next request says so.
            let _ = session.reload();
        }
        for reply in replies {
            reply(failed.clone());
        }
        tidying.stored();
    }
    session.into_store()
}
