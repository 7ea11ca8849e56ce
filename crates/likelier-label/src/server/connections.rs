//! Connections, and how many there may be.
//!
//! Whoever opens thousands of connections and says nothing must not keep others out. So there is a limit, and beyond it the
//! oldest connection goes that has not shown a known token; somebody who comes is always let in.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

/// Connections at a time.
const MOST: usize = 512;
/// Time to send the head of a request, and to say nothing between two.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time to finish what was begun when the server stops.
const FAREWELL: Duration = Duration::from_secs(3);

/// Whether a connection was used by somebody who is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Arc<AtomicBool>);

impl Known {
    pub(super) fn mark(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Serves until the flag is raised.
pub(super) async fn serve(listener: TcpListener, router: Router, stop: &AtomicBool) {
    let mut tasks = JoinSet::new();
    let mut open: VecDeque<(AbortHandle, Known)> = VecDeque::new();
    let mut look = tokio::time::interval(Duration::from_millis(50));
    while !stop.load(Ordering::SeqCst) {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            _ = look.tick() => continue,
        };
        match accepted {
            Ok((stream, _)) => {
                make_room(&mut open);
                let known = Known::default();
                let task = tasks.spawn(connection(stream, router.clone(), known.clone()));
                open.push_back((task, known));
            }
            // No more files can be open: the next connection waits until some are closed.
            Err(error) if matches!(error.raw_os_error(), Some(23 | 24)) => {
                let keep = open.len() / 2;
                while open.len() > keep && drop_one(&mut open) {}
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            // The other side was gone before we looked.
            Err(_) => {}
        }
    }
    drop(listener);
    let ended = async { while tasks.join_next().await.is_some() {} };
    // Open pages keep their connections; they are not waited for.
    open.retain(|(task, _)| !task.is_finished());
    let _ = tokio::time::timeout(
        FAREWELL.min(Duration::from_millis(if open.is_empty() { 0 } else { 300 })),
        ended,
    )
    .await;
    tasks.shutdown().await;
}

fn make_room(open: &mut VecDeque<(AbortHandle, Known)>) {
    if open.len() < MOST {
        return;
    }
    open.retain(|(task, _)| !task.is_finished());
    if open.len() >= MOST && !drop_one(open) {
        // All of them are known: the oldest goes.
        if let Some((task, _)) = open.pop_front() {
            task.abort();
        }
    }
}

/// Ends the oldest connection of somebody who is not known.
fn drop_one(open: &mut VecDeque<(AbortHandle, Known)>) -> bool {
    let stranger = open.iter().position(|(_, known)| !known.0.load(Ordering::Relaxed));
    let Some((task, _)) = stranger.and_then(|at| open.remove(at)) else { return false };
    task.abort();
    true
}

async fn connection(stream: TcpStream, router: Router, known: Known) {
    let _ = stream.set_nodelay(true);
    let service = router.layer(axum::Extension(known));
    // Nothing is left to do for a connection that ended badly.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(32 << 10)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .await;
}

/// A listener at the wanted port, or at a free one if that is taken.
pub(super) fn listen(address: std::net::IpAddr, port: u16) -> io::Result<std::net::TcpListener> {
    let listener = match std::net::TcpListener::bind((address, port)) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => std::net::TcpListener::bind((address, 0)),
        other => other,
    }?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
