//! L-BFGS: a minimum from values and gradients alone, in few evaluations, with nothing random.

use std::collections::VecDeque;

use crate::error::Error;

/// Steps whose curvature is remembered.
const REMEMBERED: usize = 8;
/// Evaluations along one direction before it is given up.
const TRIES: usize = 12;
/// A step must lower the value by this share of what the slope promises.
const ENOUGH: f64 = 1e-4;
/// A slope this small in relation to the place is none.
const FLAT: f64 = 1e-6;

/// A place with its value and gradient.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) place: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// A change of place and the change of the gradient that came with it.
struct Turn {
    place: Vec<f64>,
    gradient: Vec<f64>,
}

/// Goes downhill from a place, in at most so many steps.
pub(super) fn minimise(
    start: Vec<f64>,
    steps: usize,
    mut evaluate: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>), Error>,
) -> Result<Point, Error> {
    let (value, gradient) = evaluate(&start)?;
    let mut here = Point { place: start, value, gradient };
    let mut turns: VecDeque<Turn> = VecDeque::new();
    for _ in 0..steps {
        let slope = dot(&here.gradient, &here.gradient).sqrt();
        if slope <= FLAT * dot(&here.place, &here.place).sqrt().max(1.0) {
            break;
        }
        let direction = downhill(&here.gradient, &turns);
        // Without a memory, the first step is as long as the gradient says, but not longer than 1.
        let length = if turns.is_empty() { (1.0 / slope).min(1.0) } else { 1.0 };
        let Some(next) = search(&here, &direction, length, &mut evaluate)? else { break };
        let turn = Turn {
            place: difference(&next.place, &here.place),
            gradient: difference(&next.gradient, &here.gradient),
        };
        if dot(&turn.place, &turn.gradient) > 1e-12 * dot(&turn.gradient, &turn.gradient) {
            turns.push_back(turn);
            if turns.len() > REMEMBERED {
                turns.pop_front();
            }
        }
        here = next;
    }
    Ok(here)
}

/// A lower point along a direction; none where rounding hides it.
fn search(
    here: &Point,
    direction: &[f64],
    mut length: f64,
    evaluate: &mut impl FnMut(&[f64]) -> Result<(f64, Vec<f64>), Error>,
) -> Result<Option<Point>, Error> {
    let slope = dot(&here.gradient, direction);
    for _ in 0..TRIES {
        let place: Vec<f64> = here.place.iter().zip(direction).map(|(x, d)| x + length * d).collect();
        let (value, gradient) = evaluate(&place)?;
        if value.is_finite() && value <= here.value + ENOUGH * length * slope {
            return Ok(Some(Point { place, value, gradient }));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// −H·g, H being the inverse curvature that the turns tell.
fn downhill(gradient: &[f64], turns: &VecDeque<Turn>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(turns.len());
    for turn in turns.iter().rev() {
        let share = dot(&turn.place, &direction) / dot(&turn.place, &turn.gradient);
        add_times(&mut direction, -share, &turn.gradient);
        shares.push(share);
    }
    if let Some(last) = turns.back() {
        let scale = dot(&last.place, &last.gradient) / dot(&last.gradient, &last.gradient);
        for along in &mut direction {
            *along *= scale;
        }
    }
    for (turn, share) in turns.iter().zip(shares.into_iter().rev()) {
        let other = dot(&turn.gradient, &direction) / dot(&turn.place, &turn.gradient);
        add_times(&mut direction, share - other, &turn.place);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_times(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_minimum_of_a_bowl_is_found(
            centre in prop::collection::vec(-5.0..5.0_f64, 1..12),
            steep in prop::collection::vec(0.1..30.0_f64, 12),
        ) {
            let mut evaluations = 0;
            let found = minimise(vec![0.0; centre.len()], 200, |place| {
                evaluations += 1;
                let apart = difference(place, &centre);
                let gradient: Vec<f64> = apart.iter().zip(&steep).map(|(a, s)| s * a).collect();
                Ok((0.5 * dot(&gradient, &apart), gradient))
            })
            .unwrap();
            for (found, centre) in found.place.iter().zip(&centre) {
                prop_assert!((found - centre).abs() < 1e-4, "{found} is not {centre}");
            }
            prop_assert!(evaluations < 150, "{evaluations} evaluations");
        }
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_end() {
        // Rosenbrock's.
        let found = minimise(vec![-1.2, 1.0], 200, |place| {
            let (x, y) = (place[0], place[1]);
            let bend = y - x * x;
            let gradient = vec![-2.0 * (1.0 - x) - 400.0 * x * bend, 200.0 * bend];
            Ok(((1.0 - x).powi(2) + 100.0 * bend * bend, gradient))
        })
        .unwrap();
        assert!((found.place[0] - 1.0).abs() < 1e-3 && (found.place[1] - 1.0).abs() < 1e-3);
    }
}
