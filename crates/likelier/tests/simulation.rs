//! Seeded simulations: what is drawn has the mixture that theory says, and unbiased risks are unbiased.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Label, Pile};
use likelier::evaluate::mean_and_deviation;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{ChaCha8Rng, Purpose, chance, stream, unit};
use likelier::risk::progressive::PruningWeights;
use likelier::risk::{Batch, Coefficients, Gradients, Loss, Objective, Pointwise, RiskTable, Side};
use likelier::{Collection, Mixture, Prior, Protocol, Supervision};

const PRIORS: [f64; 3] = [0.2, 0.5, 0.8];

fn protocols() -> [Protocol; 4] {
    [
        Protocol::DISCARD,
        Protocol::FORCED_CHOICE,
        Protocol::new(Collection::Discard, 0.15).unwrap(),
        Protocol::new(Collection::ForcedChoice, 0.15).unwrap(),
    ]
}

#[test]
fn generated_piles_and_kept_share_match_theory_within_five_sigma() {
    let labels: Vec<Label> = (0..1000).map(|row| Label::positive_if(row < 300)).collect();
    let pool: Vec<u32> = (0..1000).collect();
    for prior in PRIORS.map(|p| Prior::new(p).unwrap()) {
        for protocol in protocols() {
            let pairs = 40_000;
            let recipe = Recipe { prior, protocol, pairs, sampling: Sampling::Independent, degrees: None };
            let mut rng = stream(17, Purpose::Comparisons);
            let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
            let mixture = protocol.mixture(prior).unwrap();
            let shown = generated.shown.unwrap();
            let comparisons = Supervision::new(generated.evidence).comparisons().unwrap();
            for pile in Pile::BOTH {
                let rows = comparisons.piles().rows(pile);
                let positives = rows.iter().filter(|&&row| labels[row as usize].is_positive()).count();
                assert_share(positives, pairs, mixture.share(pile), &format!("{pile} {prior} {protocol}"));
            }
            if protocol.collection() == Collection::ForcedChoice {
                assert_eq!(shown, pairs);
            } else {
                assert_share(pairs, shown, protocol.kept_share(prior), &format!("kept {prior} {protocol}"));
            }
        }
    }
}

#[track_caller]
fn assert_share(hits: usize, of: usize, expected: f64, what: &str) {
    let sigma = (expected * (1.0 - expected) / of as f64).sqrt();
    let share = hits as f64 / of as f64;
    assert!((share - expected).abs() < 5.0 * sigma, "{what}: {share} is not {expected} ± {sigma}");
}

// Two overlapping Gaussians: x | y ~ N(±1, 1), judged by the fixed score f(x) = 1.3x − 0.4.

fn score(x: f64) -> f64 {
    1.3 * x - 0.4
}

/// The true risk of f for a prior, by Simpson's rule over the two densities.
fn true_risk(prior: f64) -> f64 {
    let expectation = |centre: f64, label: usize| {
        let (low, high, steps) = (-12.0, 12.0, 4800);
        let width = (high - low) / f64::from(steps);
        let integrand = |x: f64| {
            let density = (-0.5 * (x - centre).powi(2)).exp() / (2.0 * std::f64::consts::PI).sqrt();
            density * Loss::Logistic.at(score(x)).value[label]
        };
        let sum: f64 = (0..=steps)
            .map(|k| {
                let weight = if k == 0 || k == steps {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                weight * integrand(low + f64::from(k) * width)
            })
            .sum();
        sum * width / 3.0
    };
    prior * expectation(1.0, 0) + (1.0 - prior) * expectation(-1.0, 1)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(rng)).cos()
}

/// One recorded item: its score and its true label.
type Item = (f32, bool);

fn item(rng: &mut ChaCha8Rng, positive: bool) -> Item {
    let centre = if positive { 1.0 } else { -1.0 };
    (score(centre + normal(rng)) as f32, positive)
}

/// Draws pairs as the protocol says, straight from its definition.
fn draw_pairs(rng: &mut ChaCha8Rng, prior: f64, protocol: Protocol, pairs: usize) -> [Vec<Item>; 2] {
    let mut piles = [Vec::new(), Vec::new()];
    while piles[0].len() < pairs {
        let (y, y_other) = (chance(rng, prior), chance(rng, prior));
        let (first, second) = (item(rng, y), item(rng, y_other));
        let accept = protocol.acceptance()[usize::from(!y)][usize::from(!y_other)];
        let in_order = chance(rng, accept);
        if in_order || protocol.collection() == Collection::ForcedChoice {
            let (likelier, other) = if in_order { (first, second) } else { (second, first) };
            piles[0].push(likelier);
            piles[1].push(other);
        }
    }
    piles
}

/// The mean and its standard error of an empirical risk over 2,000 draws of 40 pairs.
fn mean_risk(
    objective: &dyn Objective,
    seed: u64,
    prune: bool,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> [Vec<Item>; 2],
) -> (f64, f64) {
    const DRAWS: usize = 2000;
    let mut rng = stream(seed, Purpose::Comparisons);
    let risks: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let piles = draw(&mut rng);
            let scores = piles.each_ref().map(|pile| pile.iter().map(|item| item.0).collect::<Vec<_>>());
            let truth = piles
                .each_ref()
                .map(|pile| pile.iter().map(|i| f32::from(u8::from(i.1))).collect::<Vec<_>>());
            // Under separability, pruning keeps exactly the rows whose pile is their class.
            let agree = [0, 1]
                .map(|pile| piles[pile].iter().map(|item| item.1 == (pile == 0)).collect::<Vec<bool>>());
            let side = |pile: usize| Side {
                targets: Some(&truth[pile]),
                selected: prune.then(|| &agree[pile][..]),
                ..Side::of_scores(&scores[pile])
            };
            let batch = Batch { likelier: side(0), other: side(1) };
            objective.evaluate(&batch, &mut Gradients::default()).unwrap().value
        })
        .collect();
    let (mean, deviation) = mean_and_deviation(&risks);
    (mean, deviation / (DRAWS as f64).sqrt())
}

#[track_caller]
fn assert_unbiased((mean, error): (f64, f64), truth: f64, what: &str) {
    assert!((mean - truth).abs() < 4.0 * error, "{what}: {mean} ± {error} is not {truth}");
}

#[test]
fn the_mean_of_every_unbiased_risk_is_the_true_risk() {
    for p in PRIORS {
        let prior = Prior::new(p).unwrap();
        for protocol in protocols() {
            let mixture = protocol.mixture(prior).unwrap();
            let pooled = mixture.pooled_prior().unwrap();
            let draw = |rng: &mut ChaCha8Rng| draw_pairs(rng, p, protocol, 40);
            let what = |name: &str| format!("{name} at {p} under {protocol}");

            let pcomp = Pointwise::of_table(RiskTable::unbiased(&mixture, prior));
            assert_unbiased(mean_risk(&pcomp, 1, false, draw), true_risk(p), &what("pcomp-unbiased"));

            let noisy = Pointwise::of_table(RiskTable::noisy_unbiased(&mixture).unwrap());
            let truth = true_risk(pooled.positive());
            assert_unbiased(mean_risk(&noisy, 2, false, draw), truth, &what("noisy-unbiased"));

            let exact =
                Pointwise::of_table(RiskTable::pruned(&mixture, prior, PruningWeights::Exact).unwrap());
            assert_unbiased(mean_risk(&exact, 3, true, draw), true_risk(p), &what("exact pruning"));

            let paper =
                Pointwise::of_table(RiskTable::pruned(&mixture, prior, PruningWeights::Paper).unwrap());
            assert_unbiased(mean_risk(&paper, 4, true, draw), 2.0 * truth, &what("paper pruning"));

            let supervised = Pointwise {
                coefficients: Coefficients::targets(pooled, prior),
                ..Pointwise::of_table(RiskTable::binary_biased())
            };
            assert_unbiased(mean_risk(&supervised, 5, false, draw), true_risk(p), &what("supervised"));
        }
    }
}

#[test]
fn the_mean_of_the_pu_su_and_uu_risks_is_the_true_risk() {
    let p = 0.3;
    let prior = Prior::new(p).unwrap();
    for (name, mixture) in [
        ("PU", Mixture::positive_unlabelled(prior).unwrap()),
        ("SU", Mixture::similar_unlabelled(prior).unwrap()),
        ("UU", Mixture::new(0.9, 0.4).unwrap()),
    ] {
        let draw = |rng: &mut ChaCha8Rng| {
            mixture.shares().map(|share| {
                (0..40)
                    .map(|_| {
                        let positive = chance(rng, share);
                        item(rng, positive)
                    })
                    .collect()
            })
        };
        let risk = Pointwise::of_table(RiskTable::unbiased(&mixture, prior));
        assert_unbiased(mean_risk(&risk, 6, false, draw), true_risk(p), name);
    }
}

#[test]
fn the_discard_table_is_biased_on_forced_choice_data() {
    for p in PRIORS {
        let prior = Prior::new(p).unwrap();
        let wrong = RiskTable::unbiased(&Protocol::DISCARD.mixture(prior).unwrap(), prior);
        let right = RiskTable::unbiased(&Protocol::FORCED_CHOICE.mixture(prior).unwrap(), prior);
        let draw = |rng: &mut ChaCha8Rng| draw_pairs(rng, p, Protocol::FORCED_CHOICE, 40);
        let (mean, error) = mean_risk(&Pointwise::of_table(wrong), 7, false, draw);
        let truth = true_risk(p);
        assert!((mean - truth).abs() > 20.0 * error, "at {p}: {mean} ± {error} looks like {truth}");
        assert_unbiased(mean_risk(&Pointwise::of_table(right), 7, false, draw), truth, "its own table");
    }
}
