//! Long work in a thread of its own, while Python's thread looks for Ctrl-C and shows how it goes.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use likelier::{Control, Error, Event, Observer};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::words::Trouble;

/// How often Python's thread looks up.
const LOOK: Duration = Duration::from_millis(50);

/// What is done now, how much of it, of how much, and a word about it.
type News = (&'static str, usize, usize, String);

#[derive(Default)]
struct State {
    news: Option<News>,
    done: bool,
}

/// Does long work. `progress` is called with the latest news, and Ctrl-C stops the work.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    work: impl FnOnce(&Control<'_>, &mut Observer<'_>) -> Result<T, Trouble> + Send,
) -> PyResult<T> {
    let pool = pool()?;
    let stop = AtomicBool::new(false);
    let (state, changed) = (Mutex::new(State::default()), Condvar::new());
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _ended = Ended { state: &state, changed: &changed };
            let control = Control { threads, stop: Some(&stop), ..Control::default() };
            let mut observe = |event: Event<'_>| locked(&state).news = Some(told(&event));
            pool.install(|| work(&control, &mut observe))
        });
        let mut raised = None;
        loop {
            let (news, done) = py.detach(|| {
                let still = |state: &mut State| !state.done;
                let waited = changed.wait_timeout_while(locked(&state), LOOK, still);
                let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
                (state.news.take(), state.done)
            });
            if raised.is_none() {
                let shown = match (progress, news) {
                    (Some(progress), Some(news)) => progress.call1(news).map(|_| ()),
                    _ => Ok(()),
                };
                if let Err(error) = shown.and_then(|()| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            if done {
                break;
            }
        }
        let result = py
            .detach(|| worker.join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        raised.map_or_else(|| result.map_err(PyErr::from), Err)
    })
}

/// Says that the work has ended, even if it panicked.
struct Ended<'a> {
    state: &'a Mutex<State>,
    changed: &'a Condvar,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        locked(self.state).done = true;
        self.changed.notify_all();
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn told(event: &Event<'_>) -> News {
    match event {
        Event::Scoring { fold, folds, epoch } => {
            ("scoring", fold - 1, *folds, format!("fold {fold} of {folds}, epoch {epoch}"))
        }
        Event::Choosing { done, of } => ("choosing", *done, *of, String::new()),
        Event::Judging { fold, folds, epoch, epochs } => {
            ("judging", (fold - 1) * epochs + epoch, folds * epochs, format!("fold {fold} of {folds}"))
        }
        Event::Epoch { epoch, epochs } => {
            ("training", epoch.of.epoch, *epochs, format!("risk {:.4}", epoch.of.risk))
        }
        Event::Sensitivity { done, of } => ("other priors", *done, *of, String::new()),
        _ => ("working", 0, 0, String::new()),
    }
}

/// The threads of this process. A process that was forked has none of its parent's, and gets its own.
fn pool() -> Result<Arc<ThreadPool>, Trouble> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = kept.as_ref().filter(|(process, _)| *process == process::id()) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().build();
    let pool = Arc::new(pool.map_err(|error| Error::Threads { threads: 0, problem: error.to_string() })?);
    if let Some((_, of_the_parent)) = kept.replace((process::id(), Arc::clone(&pool))) {
        // To drop it would be to wait for threads that are not there.
        std::mem::forget(of_the_parent);
    }
    Ok(pool)
}

/// Does short work on these threads, without Python's lock.
pub(crate) fn quickly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Trouble> + Send,
) -> PyResult<T> {
    let pool = pool()?;
    py.detach(|| pool.install(work)).map_err(PyErr::from)
}
