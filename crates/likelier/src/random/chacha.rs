//! ChaCha with eight rounds (Bernstein, 2008): a counter and a stream number, scrambled with a key.
//!
//! Several blocks are made at a time, one in each lane, so that the loops over lanes become vector instructions.

use super::Rng;
use crate::numerics::simd::wide;

/// Blocks made at a time.
const LANES: usize = 8;
/// Words of a block.
const WORDS: usize = 16;

type Lanes = [u32; LANES];

/// A stream of random bits that is the same everywhere, forever.
#[derive(Clone, Debug)]
pub struct ChaCha8Rng {
    key: [u32; 8],
    stream: u64,
    /// The number of the next block.
    counter: u64,
    /// Blocks one after the other.
    made: [u32; LANES * WORDS],
    /// How many words of them are used up.
    used: usize,
}

impl ChaCha8Rng {
    /// The stream of this number among those of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut state = seed;
        let key = std::array::from_fn(|_| expand(&mut state));
        Self { key, stream, counter: 0, made: [0; LANES * WORDS], used: LANES * WORDS }
    }

    /// Makes the next blocks.
    fn refill(&mut self) {
        blocks(&self.key, self.stream, self.counter, &mut self.made);
        self.counter = self.counter.wrapping_add(LANES as u64);
        self.used = 0;
    }
}

wide! {
    fn blocks(key: &'w [u32; 8], stream: u64, counter: u64, made: &'w mut [u32; LANES * WORDS]) {
        let mut start = [[0; LANES]; WORDS];
        // "expand 32-byte k"
        for (word, constant) in [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574].into_iter().enumerate()
        {
            start[word] = [constant; LANES];
        }
        for (word, key) in key.iter().enumerate() {
            start[4 + word] = [*key; LANES];
        }
        for lane in 0..LANES {
            let counter = counter.wrapping_add(lane as u64);
            start[12][lane] = counter as u32;
            start[13][lane] = (counter >> 32) as u32;
        }
        start[14] = [stream as u32; LANES];
        start[15] = [(stream >> 32) as u32; LANES];
        let mut state = start;
        for _ in 0..4 {
            for column in 0..4 {
                quarter(&mut state, [column, 4 + column, 8 + column, 12 + column]);
            }
            for diagonal in 0..4 {
                let [b, c, d] = [1, 2, 3].map(|ahead| 4 * ahead + (diagonal + ahead) % 4);
                quarter(&mut state, [diagonal, b, c, d]);
            }
        }
        for word in 0..WORDS {
            for lane in 0..LANES {
                made[lane * WORDS + word] = state[word][lane].wrapping_add(start[word][lane]);
            }
        }
    }
}

impl Rng for ChaCha8Rng {
    fn next_u64(&mut self) -> u64 {
        if self.used == LANES * WORDS {
            self.refill();
        }
        let [low, high] = [self.made[self.used], self.made[self.used + 1]].map(u64::from);
        self.used += 2;
        high << 32 | low
    }
}

/// A quarter round on four words of every block.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the indices are constants where it is inlined")]
fn quarter(state: &mut [Lanes; WORDS], [a, b, c, d]: [usize; 4]) {
    for (to, add, mix, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        for lane in 0..LANES {
            state[to][lane] = state[to][lane].wrapping_add(state[add][lane]);
            state[mix][lane] = (state[mix][lane] ^ state[to][lane]).rotate_left(turn);
        }
    }
}

/// The next word of a key from a small seed: a step of PCG32 (O'Neill, 2014).
fn expand(state: &mut u64) -> u32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(11_634_580_027_462_260_723);
    let mixed = (((*state >> 18) ^ *state) >> 27) as u32;
    mixed.rotate_right((*state >> 59) as u32)
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::{Rng as _, SeedableRng};

    use super::*;

    #[test]
    fn the_bits_are_those_of_another_implementation() {
        for (seed, stream) in [(0, 0), (7, 3), (u64::MAX, 1 << 40 | 5)] {
            let mut ours = ChaCha8Rng::new(seed, stream);
            let mut theirs = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            theirs.set_stream(stream);
            for at in 0..1000 {
                assert_eq!(
                    ours.next_u64(),
                    theirs.next_u64(),
                    "number {at} of seed {seed}, stream {stream}"
                );
            }
        }
    }
}
