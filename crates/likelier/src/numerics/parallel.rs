//! Work in fixed pieces: the same pieces, and the same order of sums, for any number of threads.
//!
//! A training step of a small network is some thirty pieces of shared work of a tenth of a millisecond each. A thread
//! that sleeps in between is woken too late to be of use, so those who share such work stay [awake](StayAwake) and wait
//! for each other by looking, not by sleeping.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Below so many numbers, handing work to another thread costs more than it saves.
const WORTH_SHARING: usize = 1 << 15;
/// Looks at whether others are done before this thread goes to sleep: some tenths of a millisecond.
const LOOKS: usize = 1 << 8;
/// Threads that stay awake beside the one that trains: more find no work in a batch of a small network.
const COMPANIONS: usize = 3;
/// How long they look for work in vain.
const PATIENCE: Duration = Duration::from_millis(2);

thread_local! {
    /// Whether this thread does whole pieces of work by itself, see [`alone`].
    static ALONE: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread trains, and so must not take the part of a companion.
    static LEADS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work(piece, slice)` for each piece of `piece` numbers of `out`, in parallel where it pays.
pub(crate) fn for_pieces<T: Send>(out: &mut [T], piece: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    if out.len() < WORTH_SHARING {
        out.chunks_mut(piece).enumerate().for_each(|(at, slice)| work(at, slice));
    } else {
        share_pieces(out, piece, work);
    }
}

/// The same for pieces that stand for more work than their size tells.
pub(crate) fn share_pieces<T: Send>(out: &mut [T], piece: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    share(out.chunks_mut(piece).enumerate(), |(at, slice)| work(at, slice));
}

/// The same over two slices cut into as many pieces.
pub(crate) fn for_pieces_of_two<T: Send, U: Send>(
    (first, first_piece): (&mut [T], usize),
    (second, second_piece): (&mut [U], usize),
    work: impl Fn(usize, &mut [T], &mut [U]) + Sync,
) {
    let pieces = first.chunks_mut(first_piece).zip(second.chunks_mut(second_piece));
    share(pieces.enumerate(), |(at, (first, second))| work(at, first, second));
}

/// The same over three slices of equal length.
pub(crate) fn for_pieces_of_three(
    first: &mut [f32],
    (second, third): (&mut [f32], &mut [f32]),
    piece: usize,
    work: impl Fn(usize, &mut [f32], &mut [f32], &mut [f32]) + Sync,
) {
    let worth_sharing = first.len() >= WORTH_SHARING;
    let two = first.chunks_mut(piece).zip(second.chunks_mut(piece));
    let pieces = two.zip(third.chunks_mut(piece)).enumerate();
    let work = |(at, ((first, second), third))| work(at, first, second, third);
    if worth_sharing {
        share(pieces, work);
    } else {
        pieces.for_each(work);
    }
}

/// Threads that share a piece of work.
pub(crate) fn threads() -> usize {
    if ALONE.get() { 1 } else { rayon::current_num_threads() }
}

/// Does all of `work` on this thread, because the others have pieces as large of their own.
pub(crate) fn alone<R>(work: impl FnOnce() -> R) -> R {
    let before = ALONE.replace(true);
    let result = work();
    ALONE.set(before);
    result
}

/// Shares items between this thread, which takes them from the front, and others, which take them from the back: in the
/// next layer, too, each finds in its own cache what it wrote.
pub(crate) fn share<T: Send>(
    items: impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Send,
    work: impl Fn(T) + Sync,
) {
    let count = items.len();
    let threads = threads().min(count);
    if threads <= 1 {
        return items.for_each(work);
    }
    let (items, left) = (Mutex::new(items), AtomicUsize::new(count));
    let take = |from_front: bool| {
        let mut items = items.lock().unwrap_or_else(PoisonError::into_inner);
        if from_front { items.next() } else { items.next_back() }
    };
    let take_part = |from_front: bool| {
        while let Some(item) = take(from_front) {
            work(item);
            left.fetch_sub(1, Ordering::Release);
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| take_part(false));
        }
        take_part(true);
        for _ in 0..LOOKS {
            if left.load(Ordering::Acquire) == 0 {
                break;
            }
            pause();
        }
    });
}

/// As long as it lives, some other threads of the pool look for work without going to sleep, unless there is none for
/// long.
pub(crate) struct StayAwake {
    done: Arc<AtomicBool>,
    led_before: bool,
}

impl StayAwake {
    pub(crate) fn new() -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let led_before = LEADS.replace(true);
        for _ in 1..threads().min(1 + COMPANIONS) {
            let done = done.clone();
            rayon::spawn(move || look_for_work(&done));
        }
        Self { done, led_before }
    }
}

impl Drop for StayAwake {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        LEADS.set(self.led_before);
    }
}

/// About a microsecond. Another program that waits for this core gets it.
fn pause() {
    (0..16).for_each(|_| spin_loop());
    std::thread::yield_now();
}

fn look_for_work(done: &AtomicBool) {
    // A thread that trains itself comes here while it waits for others, and must get back when they are done.
    if LEADS.replace(true) {
        return;
    }
    let mut last = Instant::now();
    while !done.load(Ordering::Relaxed) && last.elapsed() < PATIENCE {
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => last = Instant::now(),
            _ => pause(),
        }
    }
    LEADS.set(false);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(threads: usize, awake: bool) -> Vec<usize> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let _awake = awake.then(StayAwake::new);
            let mut out = vec![0; 1000];
            for _ in 0..50 {
                share_pieces(&mut out, 7, |piece, slice| {
                    slice.iter_mut().zip(7 * piece..).for_each(|(out, at)| *out += at * at);
                });
            }
            out
        })
    }

    #[test]
    fn every_piece_is_done_once_by_any_number_of_threads() {
        let expected: Vec<usize> = (0..1000).map(|at| 50 * at * at).collect();
        for threads in [1, 2, 5] {
            for awake in [false, true] {
                assert_eq!(squares(threads, awake), expected, "{threads} threads, awake: {awake}");
            }
        }
    }

    #[test]
    fn shared_work_inside_shared_work_ends() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| {
            let mut sums = vec![0; 16];
            share_pieces(&mut sums, 1, |_, sum| {
                let _awake = StayAwake::new();
                let mut inner = [1; 64];
                share_pieces(&mut inner, 4, |_, slice| slice.iter_mut().for_each(|value| *value += 1));
                sum[0] = inner.iter().sum();
            });
            assert_eq!(sums, [128; 16]);
        });
    }

    #[test]
    fn alone_means_one_thread_until_it_is_over() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| {
            assert_eq!((threads(), alone(threads), threads()), (2, 1, 2));
            let here = std::thread::current().id();
            alone(|| {
                share_pieces(&mut [0; 64], 1, |_, _| assert_eq!(std::thread::current().id(), here));
            });
        });
    }

    #[test]
    #[should_panic(expected = "the twelfth")]
    fn a_panic_in_a_piece_reaches_the_caller() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| share_pieces(&mut [0; 64], 1, |at, _| assert!(at != 12, "the twelfth")));
    }
}
