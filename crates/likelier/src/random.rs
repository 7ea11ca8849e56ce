//! Seeded randomness that is the same on every platform and for every future version.
//!
//! ChaCha with eight rounds gives the bits. It and the few ways to use them are written here, because
//! value-for-value stability across releases is part of what a seed promises; a test compares the bits with
//! those of `rand_chacha`.

mod chacha;

pub use chacha::ChaCha8Rng;

/// A source of random bits.
pub trait Rng {
    /// The next 64 of them.
    fn next_u64(&mut self) -> u64;
}

/// What a stream of random numbers is used for.
///
/// One seed gives each purpose its own independent stream, so that, say, another number of epochs does
/// not change which pairs are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Splitting rows into training and test.
    Split,
    /// Resampling a test set to a prior.
    Resample,
    /// Drawing comparisons.
    Comparisons,
    /// Initial weights.
    Weights,
    /// Order of the mini-batches.
    Batches,
    /// Choosing the comparisons that are held out.
    HoldOut,
    /// Drawing comparisons between test rows. It has the stream of `HoldOut`: archived runs rest on it, and
    /// no run uses both for one thing.
    TestComparisons,
    /// Dealing comparisons into folds.
    Folds,
    /// Drawing candidates for model selection.
    Candidates,
    /// Shuffling columns, to see what a score depends on.
    Shuffles,
    /// Drawing the pairs that are asked next.
    Next,
    /// Moving images while a network learns.
    Moves,
}

/// The stream of random numbers that `seed` gives to `purpose`.
pub fn stream(seed: u64, purpose: Purpose) -> ChaCha8Rng {
    epoch_stream(seed, purpose, 0)
}

/// The same for one of several epochs, each with a stream of its own: a resumed run needs no state.
pub fn epoch_stream(seed: u64, purpose: Purpose, epoch: u32) -> ChaCha8Rng {
    let purpose = match purpose {
        Purpose::Split => 1,
        Purpose::Resample => 2,
        Purpose::Comparisons => 3,
        Purpose::Weights => 4,
        Purpose::Batches => 5,
        Purpose::HoldOut | Purpose::TestComparisons => 6,
        Purpose::Folds => 11,
        Purpose::Candidates => 12,
        Purpose::Shuffles => 13,
        Purpose::Next => 14,
        Purpose::Moves => 15,
    };
    ChaCha8Rng::new(seed, u64::from(epoch) << 8 | purpose)
}

/// A uniform number in [0, 1) with 53 random bits.
pub fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// True with the given probability.
pub fn chance(rng: &mut impl Rng, probability: f64) -> bool {
    unit(rng) < probability
}

/// A uniform index below `count`, without modulo bias; 0 when `count` is 0.
pub fn below(rng: &mut impl Rng, count: usize) -> usize {
    let count = count as u64;
    // The high word of a 128-bit product is uniform once the few low words that would favour some
    // values are drawn again. They are below 2⁶⁴ mod count: the division is rarely needed.
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(count);
        let low = product as u64;
        if low >= count || low >= count.wrapping_neg() % count {
            return (product >> 64) as usize;
        }
    }
}

/// Puts a slice in uniformly random order (Fisher–Yates from the end).
pub fn shuffle<T>(rng: &mut impl Rng, values: &mut [T]) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(rng, last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_forever() {
        let mut rng = stream(7, Purpose::Comparisons);
        let drawn: Vec<usize> = (0..8).map(|_| below(&mut rng, 1000)).collect();
        let mut order: Vec<u32> = (0..8).collect();
        shuffle(&mut rng, &mut order);
        // A change of these is a change of every seeded result that anyone has.
        assert_eq!(drawn, [181, 92, 979, 334, 351, 384, 919, 328]);
        assert_eq!(order, [6, 7, 2, 4, 1, 5, 3, 0]);
        assert_eq!(format!("{:.12}", unit(&mut rng)), "0.387567459810");
    }

    #[test]
    fn purposes_have_different_streams() {
        let purposes = [
            Purpose::Split,
            Purpose::Resample,
            Purpose::Comparisons,
            Purpose::Weights,
            Purpose::Batches,
            Purpose::HoldOut,
            Purpose::Folds,
            Purpose::Candidates,
            Purpose::Shuffles,
            Purpose::Next,
            Purpose::Moves,
        ];
        let mut first: Vec<u64> = purposes
            .iter()
            .flat_map(|purpose| [0, 1, 2].map(|epoch| epoch_stream(1, *purpose, epoch).next_u64()))
            .collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 3 * purposes.len());
    }

    #[test]
    fn indices_are_uniform_within_five_sigma() {
        let mut rng = stream(3, Purpose::Split);
        let (count, draws) = (7, 70_000);
        let mut seen = vec![0_u32; count];
        for _ in 0..draws {
            seen[below(&mut rng, count)] += 1;
        }
        let share = 1.0 / count as f64;
        let sigma = (f64::from(draws) * share * (1.0 - share)).sqrt();
        for times in seen {
            assert!((f64::from(times) - f64::from(draws) * share).abs() < 5.0 * sigma);
        }
    }

    #[test]
    fn a_shuffle_keeps_every_value_and_reaches_every_order() {
        let mut rng = stream(5, Purpose::Batches);
        let mut orders = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut values = [1, 2, 3];
            shuffle(&mut rng, &mut values);
            assert_eq!(values.iter().sum::<i32>(), 6);
            orders.insert(values);
        }
        assert_eq!(orders.len(), 6);
    }

    #[test]
    fn nothing_to_choose_from_gives_index_zero() {
        let mut rng = stream(5, Purpose::Batches);
        assert_eq!(below(&mut rng, 0), 0);
        assert_eq!(below(&mut rng, 1), 0);
    }
}
