//! How a batch goes through the model: both piles together, or each by itself.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::{Architecture, Model, Stored, Weights};

/// What passes through the model together. Only batch normalisation can tell: its statistics are those of
/// one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Passes {
    /// Both piles.
    #[default]
    Together,
    /// Each pile by itself. In training, a network with batch normalisation can then tell the piles apart by
    /// what their rows have in common, which a single row to be scored does not have: it learns little
    /// of use. It is here to ask whether the paper's numbers were made so (docs/reproduction.md).
    EachPile,
}

/// The model with its work space, once for each pass.
pub(super) struct Passing {
    model: Box<dyn Model>,
    /// For the other pile, with room for its gradient.
    other: Option<(Box<dyn Model>, Vec<f32>)>,
}

impl Passing {
    /// For batches of up to `rows` rows of `width` features.
    pub(super) fn new(
        passes: Passes,
        architecture: &Architecture,
        width: usize,
        rows: usize,
    ) -> Result<Self, Error> {
        let build = || architecture.build(width, rows);
        let other = match passes {
            Passes::Together => None,
            Passes::EachPile => Some((build()?, vec![0.0; architecture.parameters(width)])),
        };
        Ok(Self { model: build()?, other })
    }

    /// The scores of a batch, whose first `likelier` rows are of the likelier pile.
    pub(super) fn forward(
        &mut self,
        weights: &mut Weights,
        batch: &Stored<'_>,
        likelier: usize,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        let Some((other, _)) = &mut self.other else {
            return self.model.forward(weights, batch, scores);
        };
        let (first, second) = scores.split_at_mut(likelier);
        for (model, part, scores) in [
            (&mut self.model, batch.part(0..likelier), first),
            (other, batch.part(likelier..batch.which.len()), second),
        ] {
            if !part.which.is_empty() {
                model.forward(weights, &part, scores)?;
            }
        }
        Ok(())
    }

    /// The derivative by each parameter, from that by each score of the last [`Passing::forward`].
    pub(super) fn backward(
        &mut self,
        weights: &Weights,
        batch: &Stored<'_>,
        likelier: usize,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        let Some((other, of_other)) = &mut self.other else {
            return self.model.backward(weights, batch, score_gradients, gradient);
        };
        let (first, second) = score_gradients.split_at(likelier);
        if first.is_empty() {
            gradient.fill(0.0);
        } else {
            self.model.backward(weights, &batch.part(0..likelier), first, gradient)?;
        }
        if !second.is_empty() {
            let of_second = batch.part(likelier..batch.which.len());
            other.backward(weights, &of_second, second, of_other)?;
            gradient.iter_mut().zip(of_other).for_each(|(sum, of_other)| *sum += *of_other);
        }
        Ok(())
    }

    /// The scores of any number of rows as users see them.
    pub(super) fn score(
        &mut self,
        weights: &Weights,
        stored: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        self.model.score(weights, stored, scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rows;
    use crate::model::{Mlp, MlpNorm, Scaling, ScalingKind};
    use crate::random::{Purpose, stream, unit};

    const WIDTH: usize = 3;
    const LIKELIER: usize = 5;
    const ROWS: u32 = 9;

    fn rows() -> Rows<'static> {
        let mut rng = stream(3, Purpose::Split);
        Rows::from_numbers((0..WIDTH * ROWS as usize).map(|_| unit(&mut rng) as f32).collect(), WIDTH)
            .unwrap()
    }

    /// Scores of the nine rows, and the gradient of a weighted sum of them by the parameters.
    fn scores_and_gradient(
        passes: Passes,
        norm: MlpNorm,
        likelier: usize,
        change: Option<(usize, f32)>,
    ) -> (Vec<f32>, Vec<f32>) {
        let architecture = Architecture::Mlp(Mlp { hidden: vec![4, 4], norm });
        let rows = rows();
        let scaling = Scaling::fit(ScalingKind::None, &rows, &[]);
        let mut rng = stream(4, Purpose::Weights);
        let mut weights = architecture.initial_weights(WIDTH, &mut rng).unwrap();
        let parameters = weights.parameters.len();
        if let Some((at, by)) = change {
            weights.parameters[at] += by;
        }
        let which: Vec<u32> = (0..ROWS).collect();
        let batch = Stored::new(&rows, &scaling, &which);
        let mut passing = Passing::new(passes, &architecture, WIDTH, which.len()).unwrap();
        let mut scores = vec![0.0; which.len()];
        passing.forward(&mut weights, &batch, likelier, &mut scores).unwrap();
        let mut gradient = vec![f32::NAN; parameters];
        let of_scores: Vec<f32> = which.iter().map(|row| *row as f32 - 3.5).collect();
        passing.backward(&weights, &batch, likelier, &of_scores, &mut gradient).unwrap();
        (scores, gradient)
    }

    fn close(left: &[f32], right: &[f32], within: f32) -> bool {
        left.iter().zip(right).all(|(left, right)| (left - right).abs() <= within)
    }

    #[test]
    fn without_normalisation_it_makes_no_difference() {
        let together = scores_and_gradient(Passes::Together, MlpNorm::None, LIKELIER, None);
        let apart = scores_and_gradient(Passes::EachPile, MlpNorm::None, LIKELIER, None);
        assert!(close(&together.0, &apart.0, 1e-6) && close(&together.1, &apart.1, 1e-5));
    }

    #[test]
    fn each_pile_has_statistics_of_its_own() {
        let together = scores_and_gradient(Passes::Together, MlpNorm::EachLayer, LIKELIER, None);
        let apart = scores_and_gradient(Passes::EachPile, MlpNorm::EachLayer, LIKELIER, None);
        assert!(!close(&together.0, &apart.0, 1e-2), "{together:?}, {apart:?}");
        // A pile that is the whole batch passes as the whole batch does, on either side.
        for likelier in [0, ROWS as usize] {
            let whole = scores_and_gradient(Passes::EachPile, MlpNorm::EachLayer, likelier, None);
            assert_eq!(together, whole);
        }
    }

    #[test]
    fn the_gradient_is_that_of_both_passes() {
        let sum = |change| {
            let (scores, _) = scores_and_gradient(Passes::EachPile, MlpNorm::EachLayer, LIKELIER, change);
            scores
                .iter()
                .enumerate()
                .map(|(row, score)| (row as f64 - 3.5) * f64::from(*score))
                .sum::<f64>()
        };
        let (_, gradient) = scores_and_gradient(Passes::EachPile, MlpNorm::EachLayer, LIKELIER, None);
        let step = 1e-3_f32;
        let mut largest = 0.0_f64;
        for (at, derivative) in gradient.iter().enumerate() {
            let difference = (sum(Some((at, step))) - sum(Some((at, -step)))) / (2.0 * f64::from(step));
            let error = (difference - f64::from(*derivative)).abs();
            assert!(error < 0.02 * (1.0 + difference.abs()), "{at}: {difference} and {derivative}");
            largest = largest.max(difference.abs());
        }
        assert!(largest > 0.5, "nothing was tested: {largest}");
    }
}
