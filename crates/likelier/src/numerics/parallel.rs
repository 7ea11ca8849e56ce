//! Work in fixed pieces: the same pieces, and the same order of sums, for any number of threads.

use rayon::prelude::*;

/// Below so many numbers, handing work to another thread costs more than it saves.
const WORTH_SHARING: usize = 1 << 15;

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
    if out.len() <= piece || rayon::current_num_threads() == 1 {
        out.chunks_mut(piece).enumerate().for_each(|(at, slice)| work(at, slice));
    } else {
        out.par_chunks_mut(piece).enumerate().for_each(|(at, slice)| work(at, slice));
    }
}

/// The same over two slices cut into as many pieces.
pub(crate) fn for_pieces_of_two<T: Send, U: Send>(
    (first, first_piece): (&mut [T], usize),
    (second, second_piece): (&mut [U], usize),
    work: impl Fn(usize, &mut [T], &mut [U]) + Sync,
) {
    if rayon::current_num_threads() == 1 {
        let pieces = first.chunks_mut(first_piece).zip(second.chunks_mut(second_piece));
        pieces.enumerate().for_each(|(at, (first, second))| work(at, first, second));
    } else {
        let pieces = first.par_chunks_mut(first_piece).zip(second.par_chunks_mut(second_piece));
        pieces.enumerate().for_each(|(at, (first, second))| work(at, first, second));
    }
}

/// The same over three slices of equal length.
pub(crate) fn for_pieces_of_three(
    first: &mut [f32],
    (second, third): (&mut [f32], &mut [f32]),
    piece: usize,
    work: impl Fn(usize, &mut [f32], &mut [f32], &mut [f32]) + Sync,
) {
    if first.len() < WORTH_SHARING || rayon::current_num_threads() == 1 {
        let pieces = first
            .chunks_mut(piece)
            .zip(second.chunks_mut(piece))
            .zip(third.chunks_mut(piece));
        pieces
            .enumerate()
            .for_each(|(at, ((first, second), third))| work(at, first, second, third));
    } else {
        let two = first.par_chunks_mut(piece).zip(second.par_chunks_mut(piece));
        let pieces = two.zip(third.par_chunks_mut(piece));
        pieces
            .enumerate()
            .for_each(|(at, ((first, second), third))| work(at, first, second, third));
    }
}
