//! Every objective's gradient against central differences, and its edge cases.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::Pile;
use likelier::risk::progressive::PruningWeights;
use likelier::risk::{
    Batch, Coefficients, Correction, Evaluation, Gradients, Loss, Objective, OrientationLikelihood,
    Pointwise, RankNet, RiskTable, Setting, Side,
};
use likelier::{Collection, Error, Method, Prior, Protocol};
use proptest::prelude::*;

/// Scores on a grid of 2⁻⁸, so that a step of 2⁻¹⁰ is exact in f32 and differences are clean.
fn scores(rows: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec((-1024..1024_i16).prop_map(|k| f32::from(k) / 256.0), rows)
}

const STEP: f32 = 1.0 / 1024.0;

/// A batch that owns what a `Batch` borrows.
#[derive(Clone, Debug)]
struct Owned {
    scores: [Vec<f32>; 2],
    weights: Option<[Vec<f32>; 2]>,
    selected: Option<[Vec<bool>; 2]>,
    targets: Option<[Vec<f32>; 2]>,
    teacher: Option<[Vec<f32>; 2]>,
    coefficients: Option<[Vec<[f32; 2]>; 2]>,
}

impl Owned {
    fn of_scores(likelier: Vec<f32>, other: Vec<f32>) -> Self {
        Self {
            scores: [likelier, other],
            weights: None,
            selected: None,
            targets: None,
            teacher: None,
            coefficients: None,
        }
    }

    fn evaluate(&self, objective: &dyn Objective, gradients: &mut Gradients) -> Evaluation {
        let side = |pile: usize| Side {
            scores: &self.scores[pile],
            weights: self.weights.as_ref().map(|w| &w[pile][..]),
            selected: self.selected.as_ref().map(|s| &s[pile][..]),
            targets: self.targets.as_ref().map(|t| &t[pile][..]),
            teacher: self.teacher.as_ref().map(|t| &t[pile][..]),
            coefficients: self.coefficients.as_ref().map(|c| &c[pile][..]),
        };
        objective
            .evaluate(&Batch { likelier: side(0), other: side(1) }, gradients)
            .unwrap()
    }

    fn value(&self, objective: &dyn Objective) -> f64 {
        self.evaluate(objective, &mut Gradients::default()).value
    }
}

/// Whether a column is so small that a step may cross the kink of a correction.
fn near_a_kink(objective: &Pointwise, batch: &Owned) -> bool {
    let columns = batch.evaluate(objective, &mut Gradients::default()).columns.unwrap();
    objective.correction != Correction::None && columns.iter().any(|column| column.abs() < 0.01)
}

/// Compares each entry of the gradient with a central difference.
fn assert_gradient_is_the_difference(objective: &dyn Objective, batch: &Owned) {
    let mut gradients = Gradients::default();
    batch.evaluate(objective, &mut gradients);
    for (pile, name) in Pile::BOTH.into_iter().enumerate() {
        for row in 0..batch.scores[pile].len() {
            let mut moved = batch.clone();
            moved.scores[pile][row] += STEP;
            let high = moved.value(objective);
            moved.scores[pile][row] -= 2.0 * STEP;
            let low = moved.value(objective);
            let difference = (high - low) / (2.0 * f64::from(STEP));
            let gradient = f64::from(gradients.of(name)[row]);
            assert!(
                (gradient - difference).abs() < 2e-6 * difference.abs().max(1.0),
                "{name} row {row}: {gradient} is not {difference}"
            );
        }
    }
}

fn protocol() -> impl Strategy<Value = Protocol> {
    (prop_oneof![Just(Collection::Discard), Just(Collection::ForcedChoice)], 0.0..0.4_f64)
        .prop_map(|(collection, error)| Protocol::new(collection, error).unwrap())
}

fn prior() -> impl Strategy<Value = Prior> {
    (0.1..0.9_f64).prop_map(|p| Prior::new(p).unwrap())
}

fn correction() -> impl Strategy<Value = Correction> {
    prop_oneof![Just(Correction::None), Just(Correction::Relu), Just(Correction::Abs)]
}

fn loss() -> impl Strategy<Value = Loss> {
    prop::sample::select(Loss::ALL.to_vec())
}

proptest! {
    #[test]
    fn of_every_table_correction_and_loss(
        likelier in scores(0..8), other in scores(0..8), prior in prior(), protocol in protocol(),
        correction in correction(), loss in loss(), which in 0..4_usize,
    ) {
        let mixture = protocol.mixture(prior).unwrap();
        let table = [
            RiskTable::unbiased(&mixture, prior),
            RiskTable::noisy_unbiased(&mixture).unwrap(),
            RiskTable::binary_biased(),
            RiskTable::pruned(&mixture, prior, PruningWeights::Paper).unwrap(),
        ][which];
        let risk = Pointwise { loss, correction, ..Pointwise::of_table(table) };
        let batch = Owned::of_scores(likelier, other);
        prop_assume!(!near_a_kink(&risk, &batch));
        assert_gradient_is_the_difference(&risk, &batch);
    }

    #[test]
    fn with_weights_selection_and_consistency(
        rows in prop::collection::vec((-1024..1024_i16, -512..512_i16, 1..20_u8, any::<bool>()), 1..14),
        prior in prior(), correction in correction(), consistency_weight in 0.0..20.0_f64,
    ) {
        let (likelier, other) = rows.split_at(rows.len() / 2);
        let piles = [likelier, other];
        let batch = Owned {
            scores: piles.map(|pile| pile.iter().map(|r| f32::from(r.0) / 256.0).collect()),
            coefficients: None,
            teacher: Some(piles.map(|pile| pile.iter().map(|r| f32::from(r.1) / 256.0).collect())),
            weights: Some(piles.map(|pile| pile.iter().map(|r| f32::from(r.2) / 4.0).collect())),
            selected: Some(piles.map(|pile| pile.iter().map(|r| r.3).collect())),
            targets: None,
        };
        let table = RiskTable::unbiased(&Protocol::DISCARD.mixture(prior).unwrap(), prior);
        let risk = Pointwise { correction, consistency_weight, ..Pointwise::of_table(table) };
        prop_assume!(!near_a_kink(&risk, &batch));
        assert_gradient_is_the_difference(&risk, &batch);
    }

    #[test]
    fn of_coefficients_of_each_row(
        rows in prop::collection::vec((-1024..1024_i16, -3.0..3.0_f32, -3.0..3.0_f32, 0.1..2.0_f32), 2..12),
        correction in correction(), loss in loss(), weighted: bool,
    ) {
        let half = rows.len() / 2;
        let piles = [&rows[..half], &rows[half..]];
        let [likelier, other] =
            piles.map(|rows| rows.iter().map(|row| f32::from(row.0) / 256.0).collect());
        let batch = Owned {
            coefficients: Some(piles.map(|rows| rows.iter().map(|row| [row.1, row.2]).collect())),
            weights: weighted.then(|| piles.map(|rows| rows.iter().map(|row| row.3).collect())),
            ..Owned::of_scores(likelier, other)
        };
        let table = Pointwise::of_table(RiskTable::binary_biased());
        let objective = Pointwise { loss, correction, ..table };
        prop_assume!(!near_a_kink(&objective, &batch));
        assert_gradient_is_the_difference(&objective, &batch);
    }

    #[test]
    fn of_the_supervised_risk(
        rows in prop::collection::vec((-1024..1024_i16, 0..=8_u8), 1..14), sample in prior(),
        population in prior(), loss in loss(),
    ) {
        let (likelier, other) = rows.split_at(rows.len() / 2);
        let piles = [likelier, other];
        let batch = Owned {
            targets: Some(piles.map(|pile| pile.iter().map(|r| f32::from(r.1) / 8.0).collect())),
            scores: piles.map(|pile| pile.iter().map(|r| f32::from(r.0) / 256.0).collect()),
            weights: None, selected: None, coefficients: None,
            teacher: None,
        };
        let coefficients = Coefficients::targets(sample, population);
        let risk = Pointwise {
            loss, coefficients, ..Pointwise::of_table(RiskTable::binary_biased())
        };
        assert_gradient_is_the_difference(&risk, &batch);
    }

    #[test]
    fn of_the_pairwise_risks(
        (likelier, other) in (0..8_usize).prop_flat_map(|n| (scores(n), scores(n))),
        protocol in protocol(),
    ) {
        let batch = Owned::of_scores(likelier, other);
        assert_gradient_is_the_difference(&OrientationLikelihood { protocol }, &batch);
        assert_gradient_is_the_difference(&RankNet, &batch);
    }

    #[test]
    fn a_weight_of_two_is_a_row_given_twice(
        (likelier, other) in (1..6_usize).prop_flat_map(|n| (scores(n), scores(n))), prior in prior(),
    ) {
        let mixture = Protocol::FORCED_CHOICE.mixture(prior).unwrap();
        let pointwise = Pointwise {
            correction: Correction::Abs,
            consistency_weight: 3.0,
            ..Pointwise::of_table(RiskTable::unbiased(&mixture, prior))
        };
        let orientation = OrientationLikelihood { protocol: Protocol::FORCED_CHOICE };
        let objectives: [&dyn Objective; 3] = [&pointwise, &orientation, &RankNet];
        for objective in objectives {
            let mut weights = vec![1.0; likelier.len()];
            weights[0] = 2.0;
            let mut weighted = Owned::of_scores(likelier.clone(), other.clone());
            weighted.weights = Some([weights.clone(), weights]);
            weighted.teacher = Some([other.clone(), likelier.clone()]);
            let mut doubled = Owned { weights: None, ..weighted.clone() };
            for pile in doubled.scores.iter_mut().chain(doubled.teacher.iter_mut().flatten()) {
                pile.push(pile[0]);
            }
            let (a, b) = (weighted.value(objective), doubled.value(objective));
            prop_assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        }
    }
}

/// A risk whose first column is exactly 0 and whose second is 1/2·ℓ(0, −1).
fn at_the_kink(correction: Correction) -> Pointwise {
    Pointwise { correction, ..Pointwise::of_table(RiskTable([[1.0, 0.0], [-1.0, 0.5]])) }
}

#[test]
fn at_a_kink_the_column_gives_no_gradient() {
    let batch = Owned::of_scores(vec![0.0], vec![0.0]);
    for (correction, expected) in
        [(Correction::None, [-0.5, 0.75]), (Correction::Relu, [0.0, 0.25]), (Correction::Abs, [0.0, 0.25])]
    {
        let mut gradients = Gradients::default();
        let evaluation = batch.evaluate(&at_the_kink(correction), &mut gradients);
        assert_eq!(evaluation.columns.map(|columns| columns[0]), Some(0.0));
        assert_eq!(gradients.all(), expected, "{correction:?}");
    }
}

#[test]
fn a_negative_column_is_cut_by_relu_and_turned_by_abs() {
    // C(likelier, −1) < 0 with a high likelier score makes the second column negative.
    let table = RiskTable([[1.0, -0.5], [-0.5, 1.0]]);
    let batch = Owned::of_scores(vec![4.0], vec![-4.0]);
    let risk = |correction| Pointwise { correction, ..Pointwise::of_table(table) };
    let mut plain = Gradients::default();
    let columns = batch.evaluate(&risk(Correction::None), &mut plain).columns.unwrap();
    assert!(columns[0] < 0.0 && columns[1] < 0.0);
    let mut cut = Gradients::default();
    assert_eq!(batch.evaluate(&risk(Correction::Relu), &mut cut).value, 0.0);
    assert_eq!(cut.all(), [0.0, 0.0]);
    let mut turned = Gradients::default();
    let value = batch.evaluate(&risk(Correction::Abs), &mut turned).value;
    assert!((value + columns[0] + columns[1]).abs() < 1e-12);
    for (turned, plain) in turned.all().iter().zip(plain.all()) {
        assert_eq!(*turned, -plain);
    }
}

#[test]
fn an_empty_pile_contributes_nothing_and_one_row_suffices() {
    let half = Prior::new(0.5).unwrap();
    let table = RiskTable::unbiased(&Protocol::DISCARD.mixture(half).unwrap(), half);
    let risk = Pointwise::of_table(table);
    let ln_2 = std::f64::consts::LN_2;

    let mut gradients = Gradients::default();
    let nothing = Owned::of_scores(vec![], vec![]);
    assert_eq!(nothing.evaluate(&risk, &mut gradients).value, 0.0);
    assert!(gradients.all().is_empty());

    let one = Owned::of_scores(vec![0.0], vec![]);
    assert!((one.evaluate(&risk, &mut gradients).value - 0.5 * ln_2).abs() < 1e-12);
    assert_eq!((gradients.of(Pile::Likelier), gradients.of(Pile::Other)), (&[-0.75_f32][..], &[][..]));

    let mut weightless = Owned::of_scores(vec![0.0], vec![0.0]);
    weightless.weights = Some([vec![0.0], vec![1.0]]);
    assert!((weightless.evaluate(&risk, &mut gradients).value - 0.5 * ln_2).abs() < 1e-12);
    assert_eq!(gradients.all(), [0.0, 0.75], "the gradient is the other pile's");

    for objective in [&RankNet as &dyn Objective, &OrientationLikelihood { protocol: Protocol::DISCARD }] {
        assert_eq!(nothing.value(objective), 0.0);
        let one = Owned::of_scores(vec![0.0], vec![0.0]);
        assert!((one.value(objective) - ln_2).abs() < 1e-12);
    }
}

#[test]
fn lists_of_different_length_are_refused() {
    let risk = Pointwise::of_table(RiskTable::binary_biased());
    let mut gradients = Gradients::default();
    let batch = Batch {
        likelier: Side { weights: Some(&[1.0]), ..Side::of_scores(&[0.0, 1.0]) },
        other: Side::of_scores(&[]),
    };
    let error = risk.evaluate(&batch, &mut gradients).unwrap_err();
    assert_eq!(error.to_string(), "2 scores do not match 1 weights");
    let unpaired = Batch::of_scores(&[0.0, 1.0], &[0.0]);
    assert!(matches!(RankNet.evaluate(&unpaired, &mut gradients), Err(Error::Mismatch { .. })));
    let supervised = Pointwise {
        coefficients: Coefficients::targets(Prior::new(0.5).unwrap(), Prior::new(0.5).unwrap()),
        ..risk
    };
    assert!(matches!(supervised.evaluate(&unpaired, &mut gradients), Err(Error::NeedsTargets)));
}

#[test]
fn huge_scores_give_finite_risks_and_gradients() {
    let prior = Prior::new(0.3).unwrap();
    let table = RiskTable::unbiased(&Protocol::DISCARD.mixture(prior).unwrap(), prior);
    let batch = Owned::of_scores(vec![1e4, -1e4, 1e4], vec![1e4, 1e4, -1e4]);
    for loss in Loss::ALL {
        let pointwise = Pointwise { loss, correction: Correction::Abs, ..Pointwise::of_table(table) };
        let orientation = OrientationLikelihood { protocol: Protocol::DISCARD };
        let objectives: [&dyn Objective; 3] = [&pointwise, &orientation, &RankNet];
        for objective in objectives {
            let mut gradients = Gradients::default();
            assert!(batch.evaluate(objective, &mut gradients).value.is_finite());
            assert!(gradients.all().iter().all(|gradient| gradient.is_finite()));
        }
    }
}

#[test]
fn targets_are_averaged_over_all_rows_wherever_they_lie() {
    let prior = Prior::new(0.4).unwrap();
    let risk = Pointwise {
        coefficients: Coefficients::targets(Prior::new(0.7).unwrap(), prior),
        ..Pointwise::of_table(RiskTable::binary_biased())
    };
    let (scores, targets) = ([0.5, -1.0, 2.0, 0.25], [1.0, 0.0, 1.0, 0.0]);
    let cut = |at: usize| Owned {
        targets: Some([targets[..at].to_vec(), targets[at..].to_vec()]),
        ..Owned::of_scores(scores[..at].to_vec(), scores[at..].to_vec())
    };
    for at in 0..4 {
        assert!((cut(at).value(&risk) - cut(4).value(&risk)).abs() < 1e-12, "cut after {at}");
    }
}

#[test]
fn the_consistency_term_is_reported_and_contained_in_the_value() {
    let table = RiskTable::binary_biased();
    let with = Pointwise { consistency_weight: 10.0, ..Pointwise::of_table(table) };
    let mut batch = Owned::of_scores(vec![1.0, 2.0], vec![0.0]);
    let plain = batch.value(&with);
    batch.teacher = Some([vec![1.5, 2.0], vec![0.0]]);
    let evaluation = batch.evaluate(&with, &mut Gradients::default());
    // 10 · 0.5² / 3.
    assert!((evaluation.consistency - 10.0 * 0.25 / 3.0).abs() < 1e-12);
    assert!((evaluation.value - plain - evaluation.consistency).abs() < 1e-12);
}

#[test]
fn a_pair_weighs_what_its_likelier_side_does() {
    let mut batch = Owned::of_scores(vec![1.0, -1.0], vec![0.0, 0.0]);
    batch.weights = Some([vec![1.0, 0.0], vec![0.0, 1.0]]);
    let only_first = Owned::of_scores(vec![1.0], vec![0.0]);
    assert!((batch.value(&RankNet) - only_first.value(&RankNet)).abs() < 1e-12);
}

#[test]
fn a_method_uses_the_loss_and_the_weights_of_its_setting() {
    let prior = Prior::new(0.3).unwrap();
    let usual = Setting::new(prior, Protocol::DISCARD);
    let batch = Owned::of_scores(vec![0.5, 1.0], vec![-0.25, 2.0]);
    let value = |method: Method, setting: Setting| {
        batch.value(method.compose(&setting).unwrap().objective.as_ref())
    };
    let table = RiskTable::unbiased(&Protocol::DISCARD.mixture(prior).unwrap(), prior);
    for loss in Loss::ALL {
        let expected = batch.value(&Pointwise { loss, ..Pointwise::of_table(table) });
        assert!((value(Method::PcompUnbiased, Setting { loss, ..usual }) - expected).abs() < 1e-12);
    }
    for pruning_weights in [PruningWeights::Paper, PruningWeights::Exact] {
        let mixture = Protocol::DISCARD.mixture(prior).unwrap();
        let expected =
            batch.value(&Pointwise::of_table(RiskTable::pruned(&mixture, prior, pruning_weights).unwrap()));
        let setting = Setting { pruning_weights, ..usual };
        assert!((value(Method::RankPruning, setting) - expected).abs() < 1e-12);
    }
}
