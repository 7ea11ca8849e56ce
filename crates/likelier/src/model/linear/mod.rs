//! f(x) = ⟨w, x⟩ + b: the model of the paper's Table 3, on dense and on sparse rows.
//!
//! Rows are read where they are stored, never copied. Scaling, x ↦ (x − offset)·factor, is done on the
//! way: the factors are taken into the weights (and into the gradient), the offsets are subtracted from
//! each number first, because subtracting them from sums would cancel the digits of large ones.

mod rows;

use self::rows::{
    score_bytes, score_filled, score_numbers, score_sparse, sum_bytes, sum_filled, sum_numbers, sum_sparse,
};
use super::{Model, Scaling, Stored, Weights};
use crate::data::{Cells, Rows};
use crate::error::Error;
use crate::numerics::parallel::share_pieces;
use crate::random::{Rng, unit};

/// A linear model. Its parameters are the weights and then the bias.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    width: usize,
    /// Each weight times the factor of its feature.
    folded: Vec<f32>,
    /// A gradient for each piece of a batch.
    partial: Vec<f32>,
}

/// Rows that one piece of work takes.
const ROWS: usize = 64;
/// Numbers that one piece of work scores at the least.
const NUMBERS: usize = 1 << 13;
/// Below so many numbers, sharing a batch costs more than it saves.
const WORTH_SHARING: usize = 1 << 16;

impl Linear {
    /// A linear model of rows of `width` features.
    pub fn new(width: usize) -> Self {
        Self { width, folded: Vec::new(), partial: Vec::new() }
    }

    /// PyTorch's default initialisation: everything uniform in ±1/√width.
    pub fn initial_parameters(width: usize, rng: &mut impl Rng) -> Vec<f32> {
        let bound = 1.0 / (width.max(1) as f64).sqrt();
        (0..=width).map(|_| ((2.0 * unit(rng) - 1.0) * bound) as f32).collect()
    }

    fn check(&self, weights: &Weights, batch: &Stored<'_>, scores: usize) -> Result<(), Error> {
        if batch.which.len() != scores {
            return Err(Error::mismatch("rows", batch.which.len(), "scores", scores));
        }
        if batch.rows.width() != self.width {
            let (model, features) = ("features of the model", "features of the rows");
            return Err(Error::mismatch(model, self.width, features, batch.rows.width()));
        }
        let found = weights.parameters.len();
        if found != self.width + 1 {
            let (parameters, needed) = ("parameters of a linear model", "features and a bias");
            return Err(Error::mismatch(parameters, found, needed, self.width + 1));
        }
        Ok(())
    }

    /// Whether so many of these rows are worth more than one thread.
    pub(crate) fn shares(rows: &Rows, scaling: &Scaling, count: usize) -> bool {
        let numbers = match (rows.as_sparse(), scaling.shift()) {
            (Some(sparse), None) => count * sparse.entries() / sparse.len().max(1),
            _ => count * rows.width(),
        };
        numbers >= WORTH_SHARING
    }
}

/// Rows in a piece of a batch: all of them where the numbers to be read are few.
fn piece(&Stored { rows, scaling, which, .. }: &Stored<'_>) -> usize {
    if Linear::shares(rows, scaling, which.len()) { ROWS } else { which.len().max(1) }
}

impl Model for Linear {
    fn forward(
        &mut self,
        weights: &mut Weights,
        batch: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        self.score(weights, batch, scores)
    }

    fn score(&mut self, weights: &Weights, stored: &Stored<'_>, scores: &mut [f32]) -> Result<(), Error> {
        self.check(weights, stored, scores.len())?;
        let &Stored { rows, scaling, which, .. } = stored;
        let (weights, bias) = weights.parameters.split_at(self.width);
        self.folded.clear();
        self.folded
            .extend(weights.iter().zip(scaling.factor()).map(|(weight, factor)| weight * factor));
        let (folded, offset) = (&self.folded[..], scaling.shift());
        let of_rows = scaling.of_rows(rows, which);
        let (bias, added) = if of_rows.is_some() { (&[0.0][..], bias[0]) } else { (bias, 0.0) };
        // A row's score is the same in any piece. Of narrow rows one takes more: the first few are waited for.
        let piece = piece(stored).max(NUMBERS / self.width.max(1));
        share_pieces(scores, piece, |at, scores| {
            let which = &which[at * piece..at * piece + scores.len()];
            match (rows.cells(), offset) {
                (Cells::Numbers(values), _) => {
                    score_numbers(values, which, offset, folded, bias[0], scores);
                }
                (Cells::Bytes(values), _) => score_bytes(values, which, offset, folded, bias[0], scores),
                (Cells::Sparse(values), None) => score_sparse(values, which, folded, bias[0], scores),
                (Cells::Sparse(_), Some(offset)) => {
                    score_filled(&Stored { which, ..*stored }, offset, folded, bias[0], scores);
                }
            }
        });
        if let Some(of_rows) = of_rows {
            for (score, of_row) in scores.iter_mut().zip(of_rows) {
                *score = *score * of_row + added;
            }
        }
        Ok(())
    }

    fn backward(
        &mut self,
        weights: &Weights,
        batch: &Stored<'_>,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        self.check(weights, batch, score_gradients.len())?;
        let &Stored { rows, scaling, which, .. } = batch;
        let (of_weights, of_bias) = gradient.split_at_mut(self.width);
        of_bias[0] = score_gradients.iter().map(|&g| f64::from(g)).sum::<f64>() as f32;
        let offset = scaling.shift();
        let of_rows = scaling.of_rows(rows, which).map(|of_rows| {
            let scaled = score_gradients.iter().zip(of_rows).map(|(gradient, of_row)| gradient * of_row);
            scaled.collect::<Vec<f32>>()
        });
        let score_gradients = of_rows.as_deref().unwrap_or(score_gradients);
        let sum = |which: &[u32], score_gradients: &[f32], sums: &mut [f32]| match (rows.cells(), offset) {
            (Cells::Numbers(values), _) => sum_numbers(values, which, offset, score_gradients, sums),
            (Cells::Bytes(values), _) => sum_bytes(values, which, offset, score_gradients, sums),
            (Cells::Sparse(values), None) => sum_sparse(values, which, score_gradients, sums),
            (Cells::Sparse(_), Some(offset)) => {
                sum_filled(&Stored { which, ..*batch }, offset, score_gradients, sums);
            }
        };
        let piece = piece(batch);
        if piece >= which.len() || (rows.as_sparse().is_some() && offset.is_none()) {
            sum(which, score_gradients, of_weights);
        } else {
            // Each piece on its own, so that a thread goes back over the rows that it has just scored.
            let pieces = which.len().div_ceil(piece);
            self.partial.resize(pieces * self.width, 0.0);
            share_pieces(&mut self.partial, self.width, |at, sums| {
                let range = at * piece..((at + 1) * piece).min(which.len());
                sum(&which[range.clone()], &score_gradients[range], sums);
            });
            of_weights.fill(0.0);
            for partial in self.partial.chunks_exact(self.width) {
                of_weights.iter_mut().zip(partial).for_each(|(sum, partial)| *sum += partial);
            }
        }
        of_weights
            .iter_mut()
            .zip(scaling.factor())
            .for_each(|(sum, factor)| *sum *= factor);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ScalingKind;
    use crate::random::{Purpose, stream};

    /// Rows with the default scaling of their kind, or another, fitted on all of them.
    struct ScaledRows {
        rows: Rows<'static>,
        scaling: Scaling,
        all: Vec<u32>,
    }

    impl ScaledRows {
        fn new(rows: Rows<'static>, kind: ScalingKind) -> Self {
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            Self { scaling: Scaling::fit(kind, &rows, &[&all]), rows, all }
        }

        fn plain(values: Vec<f32>, width: usize) -> Self {
            Self::new(Rows::from_numbers(values, width).unwrap(), ScalingKind::None)
        }

        fn stored(&self) -> Stored<'_> {
            Stored::new(&self.rows, &self.scaling, &self.all)
        }

        /// The scores of all rows, and the gradient by the parameters.
        fn both_ways(&self, weights: &Weights, score_gradients: &[f32]) -> (Vec<f32>, Vec<f32>) {
            let mut model = Linear::new(self.rows.width());
            let (mut scores, mut gradient) =
                (vec![0.0; self.rows.len()], vec![0.0; weights.parameters.len()]);
            model.score(weights, &self.stored(), &mut scores).unwrap();
            model.backward(weights, &self.stored(), score_gradients, &mut gradient).unwrap();
            (scores, gradient)
        }
    }

    #[test]
    fn the_gradient_is_the_central_difference() {
        let mut rng = stream(1, Purpose::Weights);
        let width = 19;
        let mut weights =
            Weights { parameters: Linear::initial_parameters(width, &mut rng), buffers: Vec::new() };
        let values = (0..5 * width).map(|_| unit(&mut rng) as f32 - 0.5).collect();
        let rows = ScaledRows::new(Rows::from_numbers(values, width).unwrap(), ScalingKind::Standardise);
        let score_gradients = [0.3, -1.0, 0.25, 2.0, 0.7];
        let (_, gradient) = rows.both_ways(&weights, &score_gradients);
        let value = |weights: &Weights| {
            let (scores, _) = rows.both_ways(weights, &score_gradients);
            scores.iter().zip(score_gradients).map(|(s, g)| f64::from(s * g)).sum::<f64>()
        };
        for at in 0..=width {
            let kept = weights.parameters[at];
            // The score is linear in each parameter, so a large step is exact.
            weights.parameters[at] = kept + 1.0;
            let high = value(&weights);
            weights.parameters[at] = kept - 1.0;
            let low = value(&weights);
            weights.parameters[at] = kept;
            assert!((f64::from(gradient[at]) - (high - low) / 2.0).abs() < 1e-5, "parameter {at}");
        }
    }

    #[test]
    fn scores_are_the_written_formula() {
        // Weights 1..=100 and bias ½ on the rows 0..100 and 100..200: 333,300 and 505,000 more.
        let mut parameters: Vec<f32> = (1..=100_u8).map(f32::from).collect();
        parameters.push(0.5);
        let weights = Weights { parameters, buffers: Vec::new() };
        let rows = ScaledRows::plain((0..200_u8).map(f32::from).collect(), 100);
        let (scores, gradient) = rows.both_ways(&weights, &[1.0, 2.0]);
        assert_eq!(scores, [333_300.5, 838_300.5]);
        let expected: Vec<f32> = (0..100_u8).map(|x| 3.0 * f32::from(x) + 200.0).chain([3.0]).collect();
        assert_eq!(gradient, expected);
    }

    #[test]
    fn numbers_bytes_and_sparse_rows_give_the_same_scores_and_gradients_at_any_scaling() {
        let mut rng = stream(3, Purpose::Weights);
        // Enough numbers to be shared between threads, in pieces of which the last is short.
        let (width, rows) = (333, 250);
        let weights =
            Weights { parameters: Linear::initial_parameters(width, &mut rng), buffers: Vec::new() };
        let bytes: Vec<u8> = (0..width * rows)
            .map(|_| if unit(&mut rng) < 0.05 { (unit(&mut rng) * 255.0) as u8 } else { 0 })
            .collect();
        let score_gradients: Vec<f32> = (0..rows).map(|_| unit(&mut rng) as f32 - 0.5).collect();
        let numbers = Rows::from_numbers(bytes.iter().copied().map(f32::from).collect(), width).unwrap();
        let forms = [numbers.clone(), Rows::from_bytes(bytes, width).unwrap(), numbers.to_sparse()];
        for kind in [
            ScalingKind::None,
            ScalingKind::Byte,
            ScalingKind::UnitRange,
            ScalingKind::LargestAbsolute,
            ScalingKind::Standardise,
            ScalingKind::InverseFrequency,
        ] {
            // The written formula, row by row in f64.
            let fitted = ScaledRows::new(numbers.clone(), kind);
            let mut dense = Vec::new();
            crate::model::scaling::gather(&fitted.stored(), &mut dense);
            let (mut scores, mut gradient) = (Vec::new(), vec![0.0_f64; width + 1]);
            for (row, of_score) in dense.chunks_exact(width).zip(&score_gradients) {
                let terms = row.iter().chain([&1.0]).zip(&weights.parameters);
                scores.push(terms.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum::<f64>());
                for (sum, x) in gradient.iter_mut().zip(row.iter().chain([&1.0])) {
                    *sum += f64::from(*of_score) * f64::from(*x);
                }
            }
            let size = dense.iter().fold(1.0_f64, |most, x| most.max(f64::from(x.abs())));
            for form in &forms {
                let (ours, of_parameters) =
                    ScaledRows::new(form.clone(), kind).both_ways(&weights, &score_gradients);
                for (ours, theirs) in ours.iter().zip(&scores).chain(of_parameters.iter().zip(&gradient)) {
                    let off = (f64::from(*ours) - theirs).abs() / size;
                    assert!(off < 1e-5, "{kind:?}: {ours} is not {theirs}");
                }
            }
        }
    }

    #[test]
    fn large_offsets_do_not_take_the_digits_with_them() {
        // A million and a tenth of a thousandth of it: all that counts is what is left after scaling.
        let rows = Rows::from_numbers(vec![1e6, 1e6 + 100.0, 1e6 + 50.0, 1e6 + 75.0], 1).unwrap();
        let weights = Weights { parameters: vec![3.0, 0.0], buffers: Vec::new() };
        let (scores, gradient) =
            ScaledRows::new(rows, ScalingKind::UnitRange).both_ways(&weights, &[1.0, 1.0, -1.0, -1.0]);
        assert_eq!(scores, [0.0, 3.0, 1.5, 2.25]);
        assert_eq!(gradient, [-0.25, 0.0]);
    }

    #[test]
    fn initial_weights_fill_the_range_that_pytorch_uses() {
        let parameters = Linear::initial_parameters(10_000, &mut stream(2, Purpose::Weights));
        let (low, high) = parameters.iter().fold((0.0_f32, 0.0_f32), |(l, h), w| (l.min(*w), h.max(*w)));
        assert!(low > -0.01 && low < -0.0099 && high < 0.01 && high > 0.0099, "{low} {high}");
        assert_eq!(parameters.len(), 10_001);
        assert_ne!(parameters[10_000], 0.0, "the bias is drawn too");
    }

    #[test]
    fn rows_that_do_not_fit_are_refused() {
        let rows = ScaledRows::plain(vec![0.0; 6], 3);
        let score = |width: usize, parameters: usize, scores: usize| {
            let weights = Weights { parameters: vec![0.0; parameters], buffers: Vec::new() };
            Linear::new(width).score(&weights, &rows.stored(), &mut vec![0.0; scores])
        };
        assert!(score(3, 4, 2).is_ok());
        assert!(score(2, 3, 2).is_err() && score(3, 3, 2).is_err() && score(3, 4, 3).is_err());
    }
}
