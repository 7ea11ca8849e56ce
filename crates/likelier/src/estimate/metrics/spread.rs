//! The means of the two piles, and how far they may be off.
//!
//! Every estimate without labels is a function of two weighted means, ū over the likelier pile and v̄ over
//! the other: of "called positive", of a loss, of a rank. Their covariance is
//!
//! Σ = Σ over groups g of ± s_g s_gᵀ / W²,  s_g = Σ_{c in g} w_c·(u_c − ū, v_c − v̄),
//!
//! where groups say what depends on what. Independent comparisons: each is a group (its two items
//! depend on each other). Comparisons that share items: each *item* is a group of its comparisons, and
//! the groups of comparisons between the same two items, then counted twice, are taken away once: the
//! dyadic-robust variance. Loose piles: each item is a group. All sums are kept up to date one value at a
//! time, so that a walk over all thresholds costs no more than one.

use super::held_out::{Dependence, HeldOut};

pub(super) type Matrix = [[f64; 2]; 2];

/// Sums over the groups, for values that start at 0 and are added one by one.
pub(in crate::estimate) struct Spread<'a> {
    held_out: &'a HeldOut<'a>,
    totals: [f64; 2],
    sums: [f64; 2],
    independent: Groups,
    shared: Option<Groups>,
    sizes: [f64; 2],
}

/// Two means with their covariance.
#[derive(Clone, Copy, Debug)]
pub(in crate::estimate) struct PileMeans {
    pub(in crate::estimate) means: [f64; 2],
    /// As if comparisons were independent.
    pub(super) independent: Matrix,
    /// Allowing for shared items, where there are any.
    pub(super) shared: Option<Matrix>,
    /// How many independent observations each mean is worth.
    pub(super) sizes: [f64; 2],
    pub(super) paired: bool,
}

struct Groups {
    /// (likelier, other) sums of weight × value, by group.
    sums: Vec<[f64; 2]>,
    /// (likelier, other) sums of weight.
    weights: Vec<[f64; 2]>,
    /// What each group's square counts: about 1, negative for groups that are taken away.
    scales: Vec<f64>,
    /// Σ ± sums·sumsᵀ, Σ ± sums·weightsᵀ, Σ ± weights·weightsᵀ.
    values: Matrix,
    crossed: Matrix,
    weighted: Matrix,
}

impl<'a> Spread<'a> {
    pub(in crate::estimate) fn new(held_out: &'a HeldOut<'a>) -> Self {
        let [likelier, other] = held_out.answered();
        let loose = *held_out.dependence() == Dependence::Loose;
        let mut independent = Groups::new(if loose { likelier + other } else { likelier });
        let mut shared = match held_out.dependence() {
            Dependence::Items(shared) => Some(Groups::new(shared.items + shared.dyad_count)),
            _ => None,
        };
        let mut totals = [0.0; 2];
        for (pile, at, _) in held_out.iter() {
            let weight = held_out.weight(at);
            totals[pile] += weight;
            independent.weigh(own_group(held_out, pile, at), pile, weight);
            if let Some(shared) = &mut shared {
                shared_groups(held_out, at, |group| shared.weigh(group, pile, weight));
            }
        }
        independent.close(likelier + other, totals, held_out.sizes());
        let squares = |pile: usize| independent.weights.iter().map(|of| of[pile].powi(2)).sum::<f64>();
        let mut sizes = [0, 1].map(|pile| totals[pile].powi(2) / squares(pile));
        if let (Some(shared), Dependence::Items(items)) = (&mut shared, held_out.dependence()) {
            shared.close(items.items, totals, [items.items; 2]);
            // However often they are used, items are no more observations than there are of them.
            sizes = sizes.map(|size| size.min(items.items as f64));
        }
        Self { held_out, totals, sums: [0.0; 2], independent, shared, sizes }
    }

    /// The spread of given values: `value(pile, position, score)`.
    pub(in crate::estimate) fn of(
        held_out: &'a HeldOut<'a>,
        value: impl Fn(usize, usize, f32) -> f64,
    ) -> PileMeans {
        let mut spread = Self::new(held_out);
        for (pile, at, score) in held_out.iter() {
            spread.add(pile, at, value(pile, at, score));
        }
        spread.means()
    }

    /// Adds to the value of one observation.
    pub(in crate::estimate) fn add(&mut self, pile: usize, at: usize, value: f64) {
        if value == 0.0 {
            return;
        }
        let weighted = self.held_out.weight(at) * value;
        self.sums[pile] += weighted;
        self.independent.add(own_group(self.held_out, pile, at), pile, weighted);
        if let Some(shared) = &mut self.shared {
            shared_groups(self.held_out, at, |group| shared.add(group, pile, weighted));
        }
    }

    pub(in crate::estimate) fn means(&self) -> PileMeans {
        let means = [self.sums[0] / self.totals[0], self.sums[1] / self.totals[1]];
        PileMeans {
            means,
            independent: self.independent.covariance(means, self.totals),
            shared: self.shared.as_ref().map(|groups| groups.covariance(means, self.totals)),
            sizes: self.sizes,
            paired: *self.held_out.dependence() != Dependence::Loose,
        }
    }
}

/// The group of one observation when comparisons are independent.
fn own_group(held_out: &HeldOut<'_>, pile: usize, at: usize) -> usize {
    match held_out.dependence() {
        Dependence::Loose => pile * held_out.answered()[0] + at,
        _ => held_out.answer(at),
    }
}

/// The groups of a comparison when items are shared: its two items, and their pair.
fn shared_groups(held_out: &HeldOut<'_>, at: usize, mut visit: impl FnMut(usize)) {
    if let Dependence::Items(shared) = held_out.dependence() {
        let [first, second] = shared.ends[at];
        visit(first as usize);
        // An item compared with itself is in one group, so nothing is counted twice.
        if first != second {
            visit(second as usize);
            visit(shared.items + shared.dyads[at] as usize);
        }
    }
}

impl Groups {
    fn new(groups: usize) -> Self {
        Self {
            sums: vec![[0.0; 2]; groups],
            weights: vec![[0.0; 2]; groups],
            scales: vec![0.0; groups],
            values: Matrix::default(),
            crossed: Matrix::default(),
            weighted: Matrix::default(),
        }
    }

    fn weigh(&mut self, group: usize, pile: usize, weight: f64) {
        self.weights[group][pile] += weight;
    }

    /// All weights are known. Groups from `negative_from` on are taken away.
    ///
    /// A group pulls the mean towards itself, so its deviation from it is too small by 1 − W_g/W: what
    /// leaving it out would show (the jackknife). For independent comparisons of equal weight this is
    /// the factor n/(n−1).
    fn close(&mut self, negative_from: usize, totals: [f64; 2], counts: [usize; 2]) {
        for (group, weights) in self.weights.iter().enumerate() {
            let pile = usize::from(weights[0] == 0.0);
            let rest = (1.0 - weights[pile] / totals[pile]).max(0.5);
            let count = counts[pile] as f64;
            let sign = if group < negative_from { 1.0 } else { -1.0 };
            self.scales[group] = sign * (count - 1.0) / count / (rest * rest);
            for row in 0..2 {
                for column in 0..2 {
                    self.weighted[row][column] += self.scales[group] * weights[row] * weights[column];
                }
            }
        }
    }

    fn add(&mut self, group: usize, pile: usize, value: f64) {
        let scale = self.scales[group];
        let sums = &mut self.sums[group];
        let across = scale * value * sums[1 - pile];
        self.values[pile][pile] += scale * value * (2.0 * sums[pile] + value);
        self.values[0][1] += across;
        self.values[1][0] += across;
        for column in 0..2 {
            self.crossed[pile][column] += scale * value * self.weights[group][column];
        }
        sums[pile] += value;
    }

    fn covariance(&self, means: [f64; 2], totals: [f64; 2]) -> Matrix {
        let entry = |row: usize, column: usize| {
            let sum = self.values[row][column]
                - means[column] * self.crossed[row][column]
                - means[row] * self.crossed[column][row]
                + means[row] * means[column] * self.weighted[row][column];
            sum / (totals[row] * totals[column])
        };
        [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
    }
}

impl PileMeans {
    /// The covariance to use for a quantity that changes with the means at these rates.
    ///
    /// Shared items can only add to a variance, but its estimate is rough: with few items it can fall far
    /// short of what independent comparisons would give, even below 0. Then the latter is used.
    pub(super) fn covariance_along(&self, direction: [f64; 2]) -> Matrix {
        let along = |matrix: &Matrix| quadratic(matrix, direction);
        match self.shared {
            Some(shared) if along(&shared) > 0.5 * along(&self.independent) => shared,
            _ => self.independent,
        }
    }

    /// For shares: the same with one more success and one more failure in each pile, spread evenly over
    /// the four outcomes of a comparison (Agresti and Min, 2005). An interval from these is sound where
    /// a share is near 0 or 1 and its own variance says 0.
    pub(super) fn smoothed(&self) -> Self {
        let wider = |pile: usize| (self.sizes[pile] * self.means[pile] + 1.0) / (self.sizes[pile] + 2.0);
        let means = [wider(0), wider(1)];
        let shift = [self.means[0] - means[0], self.means[1] - means[1]];
        let entry = |from: &Matrix, row: usize, column: usize| {
            let size = (self.sizes[row] * self.sizes[column]).sqrt();
            let own = size * size * from[row][column] + size * shift[row] * shift[column];
            let added = if row == column {
                means[row].powi(2) + (1.0 - means[row]).powi(2)
            } else {
                0.5 * (1.0 - 2.0 * means[0]) * (1.0 - 2.0 * means[1])
            };
            // Loose piles have no outcomes in common, and nothing off the diagonal.
            if row == column || self.paired { (own + added) / (size + 2.0).powi(2) } else { 0.0 }
        };
        let smooth = |from: &Matrix| {
            [[entry(from, 0, 0), entry(from, 0, 1)], [entry(from, 1, 0), entry(from, 1, 1)]]
        };
        Self {
            means,
            independent: smooth(&self.independent),
            shared: self.shared.as_ref().map(smooth),
            ..*self
        }
    }
}

/// dᵀ Σ d.
pub(super) fn quadratic(matrix: &Matrix, direction: [f64; 2]) -> f64 {
    bilinear(matrix, direction, direction)
}

/// dᵀ Σ e.
pub(super) fn bilinear(matrix: &Matrix, left: [f64; 2], right: [f64; 2]) -> f64 {
    (0..2)
        .map(|row| left[row] * (matrix[row][0] * right[0] + matrix[row][1] * right[1]))
        .sum()
}
