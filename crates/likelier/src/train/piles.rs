//! Ties and labels as piles of their own, for methods whose risk is a table.
//!
//! Each row has the coefficients of its pile, for a mean over all rows: pile k's times (all rows)/(its rows).

use super::parts::Parts;
use crate::data::Label;
use crate::error::Error;
use crate::protocol::{Collection, Protocol};
use crate::replies::{Reply, ReplyModel, ReplyRates};
use crate::risk::{PileOf, Setting, least_variance};

/// Where a row may lie: the two sides of decided comparisons, ties, labelled positives and negatives.
const PILES: usize = 5;

/// The coefficients of each row.
pub(super) struct RowPiles {
    /// Of each comparison's likelier and other item.
    piles: [Vec<u8>; 2],
    coefficients: [[f32; 2]; PILES],
}

impl RowPiles {
    /// None where there are no more than the two piles of the comparisons.
    pub(super) fn new(
        setting: &Setting,
        parts: &Parts<'_>,
        rates: Option<&ReplyRates>,
    ) -> Result<Option<Self>, Error> {
        let Some(told) = &parts.told else { return Ok(None) };
        let forced = setting.protocol.collection() == Collection::ForcedChoice;
        // Without rates ties stay half a comparison each way.
        let rates = rates.filter(|rates| forced && rates.ties.is_some());
        let [likelier, other] = &parts.trained;
        let pile = |at: usize, side: usize| match told[at].known[side] {
            Some(Label::Positive) if likelier[at] == other[at] => 3,
            Some(Label::Negative) if likelier[at] == other[at] => 4,
            _ if told[at].tie && rates.is_some() => 2,
            _ => side as u8,
        };
        let piles = [0, 1].map(|side| (0..told.len()).map(|at| pile(at, side)).collect::<Vec<_>>());
        if piles.iter().flatten().all(|pile| *pile < 2) {
            return Ok(None);
        }
        let mut sizes = [0.0; PILES];
        for of_side in &piles {
            for (at, pile) in of_side.iter().enumerate() {
                let weight = parts.trained_weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]));
                sizes[*pile as usize] += weight;
            }
        }
        let shares = shares(setting, rates)?;
        let all: Vec<PileOf> = shares
            .into_iter()
            .zip(sizes)
            .map(|(positive, size)| PileOf { positive, size })
            .collect();
        let table = least_variance(&all, setting.prior)?;
        let total: f64 = sizes.iter().sum();
        let mut coefficients = [[0.0; 2]; PILES];
        for ((found, row), size) in coefficients.iter_mut().zip(table).zip(sizes) {
            if size > 0.0 {
                *found = row.map(|cell| (cell * total / size) as f32);
            }
        }
        Ok(Some(Self { piles, coefficients }))
    }

    /// Lists the coefficients of a batch: the likelier items' first.
    pub(super) fn list(&self, positions: [&[u32]; 2], coefficients: &mut Vec<[f32; 2]>) {
        coefficients.clear();
        for (piles, positions) in self.piles.iter().zip(positions) {
            let of = |at: &u32| self.coefficients[piles[*at as usize] as usize];
            coefficients.extend(positions.iter().map(of));
        }
    }
}

/// The share of positives in each pile.
fn shares(setting: &Setting, rates: Option<&ReplyRates>) -> Result<[f64; PILES], Error> {
    let Some(rates) = rates else {
        let [likelier, other] = setting.mixture()?.shares();
        return Ok([likelier, other, 0.0, 1.0, 0.0]);
    };
    let error = rates.errors.iter().sum::<f64>() / rates.errors.len() as f64;
    let protocol = Protocol::new(setting.protocol.collection(), error)?;
    let leaning = rates.leanings.iter().map(|leaning| leaning.abs()).sum::<f64>();
    let leaning = leaning / rates.leanings.len().max(1) as f64;
    let model = ReplyModel { protocol, ties: rates.ties.unwrap_or_default(), leaning };
    let share = |reply, side: usize| {
        let joint = model.label_joint(reply, setting.prior);
        joint.map_or(0.0, |joint| joint[0][0] + if side == 0 { joint[0][1] } else { joint[1][0] })
    };
    Ok([share(Reply::First, 0), share(Reply::First, 1), share(Reply::Tie, 0), 1.0, 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Answers;
    use crate::prior::Prior;
    use crate::random::{Purpose, chance, stream, unit};
    use crate::replies::TieRates;
    use crate::risk::{Batch, Gradients, Method, Side, sigmoid};

    /// Answers with ties about items drawn at random, each item once, and labels of some of them: the risk of the table
    /// is the risk over the population, and ties taken for comparisons would not give it.
    #[test]
    fn the_risk_of_decided_answers_ties_and_labels_is_that_of_the_population() {
        const PAIRS: usize = 60_000;
        let (pi, error, same, mixed) = (0.25, 0.1, 0.6, 0.2);
        let mut rng = stream(5, Purpose::Comparisons);
        let item = |rng: &mut _| {
            let positive = chance(rng, pi);
            (positive, 4.0 * unit(rng) - 2.5 + if positive { 1.5 } else { 0.0 })
        };
        let (mut items, mut pairs, mut ties, mut labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for pair in 0..PAIRS as u32 {
            let [one, two] = [item(&mut rng), item(&mut rng)];
            let alike = one.0 == two.0;
            let first = if alike { chance(&mut rng, 0.5) } else { one.0 != chance(&mut rng, error) };
            ties.push(chance(&mut rng, if alike { same } else { mixed }));
            let ends = (2 * pair, 2 * pair + 1);
            pairs.push(if first { ends } else { (ends.1, ends.0) });
            let label = if one.0 { Label::Positive } else { Label::Negative };
            labels.extend([(pair % 50 == 0).then_some(label), None]);
            items.extend([one, two]);
        }
        let truth = items
            .iter()
            .map(|(positive, score)| -sigmoid(if *positive { *score } else { -*score }).ln())
            .sum::<f64>()
            / items.len() as f64;
        let answers: Answers = pairs.into_iter().collect();
        let comparisons = answers.tied(ties).unwrap().comparisons();
        let prior = Prior::new(pi).unwrap();
        let setting = Setting::new(prior, Protocol::new(Collection::ForcedChoice, error).unwrap());
        let rates =
            ReplyRates { ties: Some(TieRates::new(same, mixed).unwrap()), ..ReplyRates::stated(error) };
        for labelled in [false, true] {
            let all = if labelled { comparisons.with_labels(&labels, pi) } else { comparisons.clone() };
            let parts = Parts::new(all.piles(), items.len(), 0.0, &mut rng);
            let row_piles = RowPiles::new(&setting, &parts, Some(&rates)).unwrap().unwrap();
            let places: Vec<u32> = (0..parts.trained[0].len() as u32).collect();
            let mut coefficients = Vec::new();
            row_piles.list([&places, &places], &mut coefficients);
            let scores = parts
                .trained
                .each_ref()
                .map(|rows| rows.iter().map(|row| items[*row as usize].1 as f32).collect::<Vec<_>>());
            let side = |pile: usize, known: bool| Side {
                weights: parts.trained_weights.as_deref(),
                coefficients: known.then(|| &coefficients[pile * places.len()..(pile + 1) * places.len()]),
                ..Side::of_scores(&scores[pile])
            };
            let risk = |known: bool| {
                let batch = Batch { likelier: side(0, known), other: side(1, known) };
                let objective = Method::PcompUnbiased.objective(prior, setting.protocol).unwrap();
                objective.evaluate(&batch, &mut Gradients::default()).unwrap().value
            };
            assert!((risk(true) - truth).abs() < 0.015, "{} instead of {truth}", risk(true));
            assert!((risk(false) - truth).abs() > 0.03, "{} although ties are halved", risk(false));
        }
    }

    #[test]
    fn where_nothing_tells_the_rates_of_ties_they_stay_half_a_comparison_each_way() {
        let setting = Setting::new(Prior::new(0.3).unwrap(), Protocol::FORCED_CHOICE);
        let answers: Answers = [(0, 1), (2, 3)].into_iter().collect();
        let comparisons = answers.tied(vec![true, false]).unwrap().comparisons();
        let parts = Parts::new(comparisons.piles(), 4, 0.0, &mut stream(0, Purpose::HoldOut));
        assert!(RowPiles::new(&setting, &parts, None).unwrap().is_none());
    }
}
