//! Laws of the algebra, over random priors, protocols and labeller errors.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::Pile;
use likelier::risk::progressive::PruningWeights;
use likelier::risk::{
    Batch, Coefficients, Correction, Gradients, Loss, Objective, Pointwise, RiskTable, sigmoid,
};
use likelier::{Collection, Error, Mixture, Prior, Protocol};
use proptest::prelude::*;

fn prior() -> impl Strategy<Value = Prior> {
    (0.02..0.98_f64).prop_map(|value| Prior::new(value).unwrap())
}

fn collection() -> impl Strategy<Value = Collection> {
    prop_oneof![Just(Collection::Discard), Just(Collection::ForcedChoice)]
}

fn protocol() -> impl Strategy<Value = Protocol> {
    (collection(), prop_oneof![Just(0.0), 0.0..0.45_f64])
        .prop_map(|(collection, error)| Protocol::new(collection, error).unwrap())
}

fn mixture() -> impl Strategy<Value = Mixture> {
    (0.0..=1.0_f64, 0.0..=1.0_f64)
        .prop_filter("contrast", |(likelier, other)| (likelier - other).abs() > 0.02)
        .prop_map(|(likelier, other)| Mixture::new(likelier, other).unwrap())
}

#[track_caller]
fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

#[track_caller]
fn tables_close(a: RiskTable, b: [[f64; 2]; 2]) {
    for (a, b) in a.0.as_flattened().iter().zip(b.as_flattened()) {
        close(*a, *b, 1e-12 * b.abs().max(1.0));
    }
}

proptest! {
    // Theorem 2 and THEORY §2: closed forms against the acceptance matrix.

    #[test]
    fn closed_forms_of_discard_follow_from_the_acceptance_matrix(prior in prior(), e in 0.0..0.45_f64) {
        let protocol = Protocol::new(Collection::Discard, e).unwrap();
        let (p, n) = (prior.positive(), prior.negative());
        let kept = 1.0 - p * n;
        close(protocol.recorded_in_order(prior), kept, 1e-12);
        close(protocol.kept_share(prior), kept, 1e-12);
        let mixture = protocol.mixture(prior).unwrap();
        close(mixture.share(Pile::Likelier), p * (1.0 - e * n) / kept, 1e-12);
        close(mixture.share(Pile::Other), p * (p + e * n) / kept, 1e-12);
        close(mixture.contrast(), p * n * (1.0 - 2.0 * e) / kept, 1e-12);
        let [a, b] = mixture.population_weights(prior);
        close(a, (n - e) / (1.0 - 2.0 * e), 1e-10);
        close(b, (p - e) / (1.0 - 2.0 * e), 1e-10);
    }

    #[test]
    fn closed_forms_of_forced_choice_follow_from_the_acceptance_matrix(
        prior in prior(), e in 0.0..0.45_f64,
    ) {
        let protocol = Protocol::new(Collection::ForcedChoice, e).unwrap();
        let (p, n) = (prior.positive(), prior.negative());
        close(protocol.recorded_in_order(prior), 0.5, 1e-12);
        close(protocol.kept_share(prior), 1.0, 0.0);
        let mixture = protocol.mixture(prior).unwrap();
        close(mixture.share(Pile::Likelier), p * p + 2.0 * p * n * (1.0 - e), 1e-12);
        close(mixture.share(Pile::Other), p * p + 2.0 * p * n * e, 1e-12);
        close(mixture.contrast(), 2.0 * p * n * (1.0 - 2.0 * e), 1e-12);
        let [a, b] = mixture.population_weights(prior);
        close(a, 0.5, 1e-10);
        close(b, 0.5, 1e-10);
        close(mixture.pooled_prior().unwrap().positive(), p, 1e-12);
    }

    #[test]
    fn theorem_2_as_printed(prior in prior()) {
        let (p, n) = (prior.positive(), prior.negative());
        let [likelier, other] = Protocol::DISCARD.mixture(prior).unwrap().shares();
        close(likelier, p / (n * n + p), 1e-12);
        close(1.0 - likelier, n * n / (n * n + p), 1e-12);
        close(other, p * p / (p * p + n), 1e-12);
        close(1.0 - other, n / (p * p + n), 1e-12);
    }

    #[test]
    fn the_label_joint_is_theorem_1_and_sums_to_one(prior in prior(), protocol in protocol()) {
        let joint = protocol.label_joint(prior);
        close(joint.as_flattened().iter().sum(), 1.0, 1e-12);
        let (p, n) = (prior.positive(), prior.negative());
        let printed = p * p + n * n + p * n;
        let discard = Protocol::DISCARD.label_joint(prior);
        let expected = [p * p / printed, p * n / printed, 0.0, n * n / printed];
        for (cell, expected) in discard.as_flattened().iter().zip(expected) {
            close(*cell, expected, 1e-12);
        }
    }

    #[test]
    fn the_population_is_a_combination_of_the_piles(prior in prior(), mixture in mixture()) {
        let [a, b] = mixture.population_weights(prior);
        close(a + b, 1.0, 1e-9);
        close(a * mixture.share(Pile::Likelier) + b * mixture.share(Pile::Other), prior.positive(), 1e-9);
    }

    // Lemma 1.

    #[test]
    fn lemma_1_inverts_the_mixture(mixture in mixture()) {
        let (matrix, inverse) = (mixture.matrix(), mixture.inverse());
        for row in 0..2 {
            for column in 0..2 {
                let product: f64 = (0..2).map(|k| inverse[row][k] * matrix[k][column]).sum();
                close(product, f64::from(u8::from(row == column)), 1e-11);
            }
        }
    }

    #[test]
    fn lemma_1_as_printed(prior in prior()) {
        let (p, n) = (prior.positive(), prior.negative());
        let inverse = Protocol::DISCARD.mixture(prior).unwrap().inverse();
        tables_close(RiskTable(inverse), [[1.0 / p, -n / p], [-p / n, 1.0 / n]]);
    }

    // Theorem 5.

    #[test]
    fn theorem_5_as_printed(prior in prior()) {
        let (p, n) = (prior.positive(), prior.negative());
        let total = p * p + n * n + p * n;
        let rates = Protocol::DISCARD.mixture(prior).unwrap().noise_rates();
        close(rates.wrong_likelier, n * n / total, 1e-12);
        close(rates.wrong_other, p * p / total, 1e-12);
        close(rates.flip_positive, p / (1.0 + p), 1e-12);
        close(rates.flip_negative, n / (1.0 + n), 1e-12);
        let forced = Protocol::FORCED_CHOICE.mixture(prior).unwrap().noise_rates();
        close(forced.flip_positive, p / 2.0, 1e-12);
        close(forced.flip_negative, n / 2.0, 1e-12);
    }

    #[test]
    fn noise_rates_and_mixture_determine_each_other(prior in prior(), protocol in protocol()) {
        let mixture = protocol.mixture(prior).unwrap();
        let rates = mixture.noise_rates();
        let back = Mixture::from_flip_rates(rates.flip_positive, rates.flip_negative).unwrap();
        for (a, b) in back.shares().iter().zip(mixture.shares()) {
            close(*a, b, 1e-10);
        }
        close(1.0 - rates.wrong_likelier, mixture.share(Pile::Likelier), 1e-12);
        close(rates.wrong_other, mixture.share(Pile::Other), 1e-12);
        // Bayes: the two kinds of rates describe one joint of pile and class.
        let pooled = mixture.pooled_prior().unwrap();
        close(rates.flip_positive * pooled.positive(), rates.wrong_other / 2.0, 1e-12);
        close(rates.flip_negative * pooled.negative(), rates.wrong_likelier / 2.0, 1e-12);
    }

    // The risk table.

    #[test]
    fn the_unbiased_table_solves_its_equation(mixture in mixture(), target in prior()) {
        let table = RiskTable::unbiased(&mixture, target).0;
        let matrix = mixture.matrix();
        let expected = [[target.positive(), 0.0], [0.0, target.negative()]];
        // Rounding grows with the table, whose entries grow with 1/contrast.
        let tolerance = 1e-12 * table.as_flattened().iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for class in 0..2 {
            for column in 0..2 {
                let product: f64 = (0..2).map(|pile| matrix[pile][class] * table[pile][column]).sum();
                close(product, expected[class][column], tolerance);
            }
        }
    }

    #[test]
    fn the_table_of_a_protocol_is_unbiased_to_twelve_digits(
        protocol in protocol(), prior in (0.1..0.9_f64), target in prior(),
    ) {
        let mixture = protocol.mixture(Prior::new(prior).unwrap()).unwrap();
        prop_assume!(mixture.contrast() > 0.05);
        let table = RiskTable::unbiased(&mixture, target).0;
        for class in 0..2 {
            for column in 0..2 {
                let product: f64 = (0..2).map(|o| mixture.matrix()[o][class] * table[o][column]).sum();
                let expected = if class == column { [target.positive(), target.negative()][class] } else { 0.0 };
                close(product, expected, 1e-12);
            }
        }
    }

    #[test]
    fn pcomp_unbiased_is_theorem_3_and_corollary_1(prior in prior()) {
        let (p, n) = (prior.positive(), prior.negative());
        let printed = [[1.0, -p], [-n, 1.0]];
        tables_close(RiskTable::unbiased(&Protocol::DISCARD.mixture(prior).unwrap(), prior), printed);
        // Corollary 1: the UU risk at these shares is the same.
        let kept = 1.0 - p + p * p;
        let uu = Mixture::new(p / kept, p * p / kept).unwrap();
        tables_close(RiskTable::unbiased(&uu, prior), printed);
    }

    #[test]
    fn the_forced_choice_table_is_the_closed_form(prior in prior()) {
        let (p, n) = (prior.positive(), prior.negative());
        let table = RiskTable::unbiased(&Protocol::FORCED_CHOICE.mixture(prior).unwrap(), prior);
        tables_close(table, [[0.5 * (1.0 + p), -0.5 * p], [-0.5 * n, 0.5 * (1.0 + n)]]);
    }

    #[test]
    fn the_uu_and_pu_risks_are_as_printed(prior in prior(), mixture in mixture()) {
        let (p, n) = (prior.positive(), prior.negative());
        let [t, u] = mixture.shares();
        let d = t - u;
        let table = RiskTable::unbiased(&mixture, prior).0;
        let printed = [[(1.0 - u) * p / d, -u * n / d], [-(1.0 - t) * p / d, t * n / d]];
        for (a, b) in table.as_flattened().iter().zip(printed.as_flattened()) {
            close(*a, *b, 1e-12 * b.abs().max(1.0));
        }
        let pu = Mixture::positive_unlabelled(prior).unwrap();
        tables_close(RiskTable::unbiased(&pu, prior), [[p, -p], [0.0, 1.0]]);
    }

    #[test]
    fn similar_unlabelled_is_a_mixture_away_from_one_half(p in 0.02..0.98_f64) {
        prop_assume!((p - 0.5).abs() > 0.01);
        let prior = Prior::new(p).unwrap();
        let n = prior.negative();
        let mixture = Mixture::similar_unlabelled(prior).unwrap();
        let total = p * p + n * n;
        close(mixture.share(Pile::Likelier), p * p / (2.0 * p * p - 2.0 * p + 1.0), 1e-12);
        close(mixture.contrast(), p * n * (2.0 * p - 1.0) / total, 1e-12);
        let [a, b] = mixture.population_weights(prior);
        close(a, 0.0, 1e-9);
        close(b, 1.0, 1e-9);
    }

    #[test]
    fn noisy_unbiased_is_natarajans_and_targets_the_pooled_prior(
        prior in prior(), protocol in protocol(),
    ) {
        let mixture = protocol.mixture(prior).unwrap();
        prop_assume!(mixture.contrast() > 0.02);
        let rates = mixture.noise_rates();
        let (rp, rn) = (rates.flip_positive, rates.flip_negative);
        let d = 1.0 - rp - rn;
        // ℓ̃(f, +1) = ((1−ρ₋)ℓ(+1) − ρ₊ℓ(−1))/(1−ρ₊−ρ₋) and its mirror, averaged over all 2n points.
        let natarajan = [[0.5 * (1.0 - rn) / d, -0.5 * rp / d], [-0.5 * rn / d, 0.5 * (1.0 - rp) / d]];
        let table = RiskTable::noisy_unbiased(&mixture).unwrap();
        for (a, b) in table.0.as_flattened().iter().zip(natarajan.as_flattened()) {
            close(*a, *b, 1e-10 * b.abs().max(1.0));
        }
    }

    #[test]
    fn exact_pruning_weights_are_unbiased_under_perfect_separation(
        prior in prior(), protocol in protocol(),
    ) {
        // What is kept of the likelier pile is its θ₊ of positives, so weight × θ₊ must be π; alike below.
        let mixture = protocol.mixture(prior).unwrap();
        let table = RiskTable::pruned(&mixture, prior, PruningWeights::Exact).unwrap().0;
        close(table[0][0] * mixture.share(Pile::Likelier), prior.positive(), 1e-12);
        close(table[1][1] * (1.0 - mixture.share(Pile::Other)), prior.negative(), 1e-12);
        // The paper's weights give twice the risk for the pooled prior.
        let table = RiskTable::pruned(&mixture, prior, PruningWeights::Paper).unwrap().0;
        let pooled = mixture.pooled_prior().unwrap();
        close(table[0][0] * mixture.share(Pile::Likelier), 2.0 * pooled.positive(), 1e-12);
        close(table[1][1] * (1.0 - mixture.share(Pile::Other)), 2.0 * pooled.negative(), 1e-12);
    }

    // Corrections.

    #[test]
    fn a_corrected_risk_is_never_negative_and_equals_the_plain_one_when_it_can(
        prior in prior(), protocol in protocol(),
        likelier in prop::collection::vec(-5.0..5.0_f32, 0..12),
        other in prop::collection::vec(-5.0..5.0_f32, 0..12),
    ) {
        let table = RiskTable::unbiased(&protocol.mixture(prior).unwrap(), prior);
        let batch = Batch::of_scores(&likelier, &other);
        let value = |correction| {
            let risk = Pointwise { correction, ..Pointwise::of_table(table) };
            risk.evaluate(&batch, &mut Gradients::default()).unwrap()
        };
        let plain = value(Correction::None);
        let columns = plain.columns.unwrap();
        for correction in [Correction::Relu, Correction::Abs] {
            let corrected = value(correction).value;
            prop_assert!(corrected >= 0.0);
            prop_assert!(corrected >= plain.value - 1e-12);
            if columns.iter().all(|column| *column >= 0.0) {
                close(corrected, plain.value, 1e-12);
            }
        }
    }

    // Binary-Biased is balanced-error minimisation.

    #[test]
    fn binary_biased_ranks_classifiers_as_balanced_error_does(
        prior in prior(), protocol in protocol(),
        rates in prop::array::uniform2((0.0..=1.0_f64, 0.0..=1.0_f64)),
    ) {
        // Expected 0/1 risk of a classifier with these true and false positive rates, through the table.
        let mixture = protocol.mixture(prior).unwrap();
        let table = RiskTable::binary_biased().0;
        let risk = |(tpr, fpr): (f64, f64)| {
            let called_positive =
                mixture.matrix().map(|[positive, negative]| positive * tpr + negative * fpr);
            table[0][0] * (1.0 - called_positive[0]) + table[1][1] * called_positive[1]
        };
        let balanced_error = |(tpr, fpr): (f64, f64)| f64::midpoint(1.0 - tpr, fpr);
        let [first, second] = rates;
        // In fact the one is an affine function of the other, with slope Δ.
        close(risk(first) - risk(second),
            mixture.contrast() * (balanced_error(first) - balanced_error(second)), 1e-12);
    }

    // Label posterior and orientation likelihood.

    #[test]
    fn the_posterior_and_orientation_of_discard_are_the_closed_forms(
        z in -8.0..8.0_f64, z_other in -8.0..8.0_f64,
    ) {
        let (p, q) = (sigmoid(z), sigmoid(z_other));
        let total = 1.0 - (1.0 - p) * q;
        let [r, r_other] = Protocol::DISCARD.label_posterior(z, z_other);
        close(r, p / total, 1e-12);
        close(r_other, p * q / total, 1e-12);
        let (forward, backward) = (1.0 - q + p * q, 1.0 - p + p * q);
        let orientation = Protocol::DISCARD.orientation(z, z_other).log_probability.exp();
        close(orientation, forward / (forward + backward), 1e-12);
    }

    #[test]
    fn the_orientation_of_forced_choice_is_additive(
        z in -8.0..8.0_f64, z_other in -8.0..8.0_f64, e in 0.0..0.45_f64,
    ) {
        let protocol = Protocol::new(Collection::ForcedChoice, e).unwrap();
        let (p, q) = (sigmoid(z), sigmoid(z_other));
        let orientation = protocol.orientation(z, z_other).log_probability.exp();
        close(orientation, 0.5 + (1.0 - 2.0 * e) * (p - q) / 2.0, 1e-12);
    }

    #[test]
    fn orientation_sums_to_one_over_both_orders_and_is_a_coin_toss_for_equals(
        protocol in protocol(), z in -700.0..700.0_f64, z_other in -700.0..700.0_f64,
    ) {
        let forward = protocol.orientation(z, z_other).log_probability.exp();
        let backward = protocol.orientation(z_other, z).log_probability.exp();
        close(forward + backward, 1.0, 1e-12);
        close(protocol.orientation(z, z).log_probability, -std::f64::consts::LN_2, 1e-12);
    }

    #[test]
    fn the_posterior_averages_to_the_mixture(prior in prior(), protocol in protocol()) {
        // With uninformative scores (the prior's log-odds) the posterior is the pile's share.
        let log_odds = (prior.positive() / prior.negative()).ln();
        let [r, r_other] = protocol.label_posterior(log_odds, log_odds);
        let mixture = protocol.mixture(prior).unwrap();
        close(r, mixture.share(Pile::Likelier), 1e-12);
        close(r_other, mixture.share(Pile::Other), 1e-12);
    }

    #[test]
    fn likelihoods_stay_finite_for_huge_scores(
        protocol in protocol(), z in -1e4..1e4_f64, z_other in -1e4..1e4_f64,
    ) {
        let orientation = protocol.orientation(z, z_other);
        prop_assert!(orientation.log_probability.is_finite() && orientation.log_probability <= 0.0);
        prop_assert!(orientation.gradient.iter().all(|slope| slope.is_finite()));
        prop_assert!(protocol.label_posterior(z, z_other).iter().all(|r| (0.0..=1.0).contains(r)));
    }

    // Supervised targets.

    #[test]
    fn targets_weigh_a_sample_to_the_population(sample in prior(), population in prior()) {
        let Coefficients::Targets { positive, negative } = Coefficients::targets(sample, population)
        else { unreachable!() };
        close(positive * sample.positive(), population.positive(), 1e-12);
        close(negative * sample.negative(), population.negative(), 1e-12);
    }
}

#[test]
fn noisy_unbiased_is_pcomp_unbiased_at_one_half_under_discard() {
    let half = Prior::new(0.5).unwrap();
    let mixture = Protocol::DISCARD.mixture(half).unwrap();
    tables_close(RiskTable::noisy_unbiased(&mixture).unwrap(), RiskTable::unbiased(&mixture, half).0);
    // And away from it, it is not: the pooled prior differs from π.
    for (prior, pooled) in [(0.2, 0.142_857), (0.5, 0.5), (0.8, 0.857_143)] {
        let mixture = Protocol::DISCARD.mixture(Prior::new(prior).unwrap()).unwrap();
        close(mixture.pooled_prior().unwrap().positive(), pooled, 1e-6);
    }
}

#[test]
fn alike_piles_are_refused() {
    assert!(matches!(Mixture::new(0.3, 0.3), Err(Error::ZeroContrast { .. })));
    let half = Prior::new(0.5).unwrap();
    assert!(matches!(Mixture::similar_unlabelled(half), Err(Error::ZeroContrast { .. })));
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(Mixture::new(bad, 0.3), Err(Error::PileShare { pile: Pile::Likelier, .. })));
        assert!(matches!(Mixture::new(0.3, bad), Err(Error::PileShare { pile: Pile::Other, .. })));
    }
}

#[test]
fn labeller_errors_from_one_half_up_are_refused() {
    for bad in [0.5, 0.7, 1.0, -0.01, f64::NAN] {
        let error = Protocol::new(Collection::Discard, bad).unwrap_err();
        assert!(error.to_string().contains("below 0.5"), "{error}");
    }
}

#[test]
fn one_population_weight_turns_negative_when_the_labeller_errs_more_than_the_rare_class_occurs() {
    let prior = Prior::new(0.2).unwrap();
    let weights = |error| {
        Protocol::new(Collection::Discard, error)
            .unwrap()
            .mixture(prior)
            .unwrap()
            .population_weights(prior)
    };
    assert!(weights(0.19).iter().all(|weight| *weight > 0.0));
    assert!(weights(0.21)[1] < 0.0);
}

#[test]
fn the_loss_at_plus_one_is_the_papers_logistic_loss() {
    for z in [-3.0_f64, 0.0, 2.5] {
        close(Loss::Logistic.at(z).value[0], (1.0 + (-z).exp()).ln(), 1e-12);
    }
}

#[test]
fn a_protocol_says_its_labeller_error() {
    assert_eq!(Protocol::DISCARD.to_string(), "discard");
    let noisy = Protocol::new(Collection::ForcedChoice, 0.1).unwrap();
    assert_eq!(noisy.to_string(), "forced-choice with 0.1 labeller error");
}
