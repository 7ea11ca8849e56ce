//! What is found without labels in real data.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod data_dir;

use data_dir::data_dir;
use likelier::estimate::prior::{PriorEstimator, best_bin, recommend};
use likelier::estimate::{Folds, ProtocolTest, Verdict, cross_fit, scorer};
use likelier::model::{Architecture, Mlp, MlpNorm};
use likelier::train::Control;
use likelier::{Collection, Prior, Protocol};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

#[test]
fn the_prior_of_pendigits_is_found_from_comparisons_alone() {
    let Some(folder) = data_dir() else { return };
    let dataset = Benchmark::Pendigits.load(&folder).unwrap();
    let architecture = || Architecture::Mlp(Mlp { hidden: vec![50], norm: MlpNorm::EachLayer });
    for (collection, named) in
        [(Collection::Discard, Verdict::Discard), (Collection::ForcedChoice, Verdict::ForcedChoice)]
    {
        let truth = Protocol::new(collection, 0.0).unwrap();
        let trial =
            DrawnTrial::draw(&dataset, &Design::new(Prior::new(0.2).unwrap(), truth, 2500), 0).unwrap();
        let pairs = trial.comparisons().unwrap();
        let folds = Folds::new(pairs, dataset.rows.len(), 4, 0).unwrap();
        // The scorer is not told what became of the pairs.
        let config = scorer(architecture(), Protocol::FORCED_CHOICE).unwrap();
        let control = Control::default();
        let fit = cross_fit(&dataset.rows, pairs, folds, &config, &control, |_, _| ()).unwrap();
        let report = recommend(vec![best_bin(&fit.scores, &truth, 0.95).unwrap()]);
        assert_eq!(report.recommended, Some(PriorEstimator::BestBin), "{:?}", report.reasons);
        assert!((report.prior.value - 0.2).abs() < 0.06 && report.prior.holds(0.2), "{:?}", report.prior);
        assert_eq!(ProtocolTest::new(&fit.scores, 0.95).unwrap().verdict, named);
    }
}
