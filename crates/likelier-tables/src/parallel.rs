//! Work in pieces.

use rayon::prelude::*;

/// Below so many numbers, handing work to another thread costs more than it saves.
const WORTH_SHARING: usize = 1 << 15;

/// Calls `work(piece, slice)` for each piece of `piece` numbers of `out`, in parallel where it pays.
pub(crate) fn for_pieces<T: Send>(out: &mut [T], piece: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    if out.len() < WORTH_SHARING {
        out.chunks_mut(piece).enumerate().for_each(|(at, slice)| work(at, slice));
    } else {
        out.par_chunks_mut(piece).enumerate().for_each(|(at, slice)| work(at, slice));
    }
}
