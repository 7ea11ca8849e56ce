//! When nothing more is learned: the weights wander, but go nowhere.
//!
//! With a constant step the weights never come to rest. They drift towards the optimum, and then wander around it. So
//! training is looked at in windows of whole epochs and at least [`FEWEST_STEPS`] steps. Each is cut into four quarters
//! with mean weights q₁ … q₄. Training has settled when the second half lies no further from the first than the last
//! two quarters lie from each other:
//!
//! ‖(q₃+q₄)/2 − (q₁+q₂)/2‖² ≤ ‖q₄ − q₃‖².
//!
//! If the weights only wander, with variance σ² for each quarter, the left side is σ² and the right side 2σ². If they
//! drift by v from quarter to quarter, the left side is 4v² and the right side v². Where there is no noise, a drift of
//! a thousandth of the weights' length is none. The weights are then (q₃+q₄)/2: the wandering averages out.
//!
//! Rank pruning leaves rows that can be told apart without error, so its weights grow as long as it is trained. There
//! only their direction has to settle, on which labels and order depend.
//!
//! Few comparisons make few steps in an epoch, and a window takes many epochs: they are trained as long as ever.

use crate::numerics::simd::fast;

/// A window has at least so many steps: at a step of 0.01 each weight could go as far as 10.
pub(super) const FEWEST_STEPS: usize = 1000;
/// Only each so-manieth step is looked at: neighbours hardly differ.
const EVERY: usize = 8;
/// A drift of this share of the weights' length changes nothing.
const NO_DRIFT: f64 = 1e-3;
const QUARTERS: usize = 4;

/// The means over the window in progress, or over the last one if that is full.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settling {
    /// Steps of a window.
    window: usize,
    /// Steps done in it.
    pub(super) steps: usize,
    pub(super) quarters: [Vec<f32>; QUARTERS],
}

impl Settling {
    /// For epochs of so many steps.
    pub(super) fn new(steps_of_an_epoch: usize, parameters: usize) -> Self {
        let epochs = FEWEST_STEPS.div_ceil(steps_of_an_epoch.max(1));
        let quarters = std::array::from_fn(|_| vec![0.0; parameters]);
        Self { window: epochs * steps_of_an_epoch.max(1), steps: 0, quarters }
    }

    /// Takes in the weights after a step.
    pub(super) fn add(&mut self, parameters: &[f32]) {
        let quarter = |step: usize| step * QUARTERS / self.window;
        let (at, step) = (quarter(self.steps).min(QUARTERS - 1), self.steps);
        self.steps += 1;
        // The first step of the quarter, and how many it is from there.
        let first = (at * self.window).div_ceil(QUARTERS);
        let since = step.saturating_sub(first);
        if !since.is_multiple_of(EVERY) {
            return;
        }
        let share = 1.0 / (since / EVERY + 1) as f32;
        let means = &mut self.quarters[at];
        fast(|| {
            for (mean, parameter) in means.iter_mut().zip(parameters) {
                *mean += (parameter - *mean) * share;
            }
        });
    }

    /// Whether the window is complete.
    pub(super) fn is_full(&self) -> bool {
        self.steps >= self.window
    }

    /// Puts a kept state back.
    pub(super) fn restore(&mut self, steps: usize, quarters: [Vec<f32>; QUARTERS]) {
        (self.steps, self.quarters) = (steps.min(self.window), quarters);
    }

    /// A new window.
    pub(super) fn restart(&mut self) {
        self.steps = 0;
        self.quarters.iter_mut().for_each(|means| means.fill(0.0));
    }

    /// Whether the weights, or their directions, drifted no more in a full window than they wandered.
    pub(super) fn has_settled(&self, by_direction: bool) -> bool {
        let [first, second, third, fourth] = &self.quarters;
        let scales = self.quarters.each_ref().map(|means| {
            let length = means.iter().map(|mean| f64::from(*mean).powi(2)).sum::<f64>().sqrt();
            if by_direction && length > 0.0 { 1.0 / length } else { 1.0 }
        });
        let (mut drift, mut wander, mut length) = (0.0, 0.0, 0.0);
        for at in 0..first.len() {
            let means = [first[at], second[at], third[at], fourth[at]];
            let [q1, q2, q3, q4] =
                std::array::from_fn(|quarter| f64::from(means[quarter]) * scales[quarter]);
            drift += (f64::midpoint(q3, q4) - f64::midpoint(q1, q2)).powi(2);
            wander += (q4 - q3).powi(2);
            length += f64::midpoint(q3, q4).powi(2);
        }
        self.is_full() && drift <= wander.max(NO_DRIFT * NO_DRIFT * length)
    }

    /// The mean over the second half of the window.
    pub(super) fn mean(&self) -> Vec<f32> {
        let [.., third, fourth] = &self.quarters;
        third
            .iter()
            .zip(fourth)
            .map(|(third, fourth)| f32::midpoint(*third, *fourth))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Rng, stream, unit};

    /// Windows of a path until it settles, at most twenty.
    fn windows(mut step: impl FnMut(usize, &mut [f32])) -> usize {
        let mut settling = Settling::new(400, 8);
        assert_eq!(settling.window, 1200, "three epochs");
        let mut weights = [0.0; 8];
        for at in 1..=24_000 {
            step(at, &mut weights);
            settling.add(&weights);
            if settling.is_full() {
                if settling.has_settled(false) {
                    return at / 1200;
                }
                settling.restart();
            }
        }
        20
    }

    fn noise(rng: &mut impl Rng) -> f32 {
        (unit(rng) * 2.0 - 1.0) as f32
    }

    #[test]
    fn weights_that_only_wander_have_settled_and_weights_that_drift_have_not() {
        let mut rng = stream(1, Purpose::Weights);
        // Drawn back to 1: there after a few hundred steps, in the first window.
        let wanders = windows(|_, weights| {
            for w in weights {
                *w += 0.01 * (1.0 - *w) + 0.02 * noise(&mut rng);
            }
        });
        assert!((2..=4).contains(&wanders), "{wanders}");
        let mut rng = stream(2, Purpose::Weights);
        let drifts = windows(|_, weights| {
            for w in weights {
                *w += 1e-3 + 0.01 * noise(&mut rng);
            }
        });
        assert_eq!(drifts, 20);
    }

    #[test]
    fn slow_progress_without_noise_is_progress_until_it_is_none() {
        // 2 % of the way in a window, then 98 %.
        let creeps = windows(|at, weights| weights.fill(1.0 - (-2e-5 * at as f32).exp()));
        assert_eq!(creeps, 20);
        let arrives = windows(|at, weights| weights.fill(1.0 - (-3e-3 * at as f32).exp()));
        assert!((2..=4).contains(&arrives), "{arrives}");
        assert_eq!(windows(|_, _| ()), 1, "what does not move has settled");
    }

    #[test]
    fn weights_that_grow_in_one_direction_have_settled_by_direction_alone() {
        let mut settling = Settling::new(1000, 2);
        for step in 1..=1000_u16 {
            let size = f32::from(step).ln();
            settling.add(&[3.0 * size, -size]);
        }
        assert!(settling.has_settled(true) && !settling.has_settled(false));
    }

    #[test]
    fn the_mean_is_that_of_the_second_half() {
        let mut settling = Settling::new(1000, 1);
        for step in 0..1000_u16 {
            assert!(!settling.is_full());
            settling.add(&[f32::from(step)]);
        }
        // Each eighth step from 500 on: 500, 508, … 748 and 750, 758, … 998.
        assert!(settling.is_full());
        assert!((settling.mean()[0] - 749.0).abs() < 1e-3, "{:?}", settling.mean());
        assert_eq!(Settling::new(40_000, 1).window, 40_000, "never less than an epoch");
    }
}
