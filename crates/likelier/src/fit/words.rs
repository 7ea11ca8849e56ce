//! How counts of words are scaled, by comparisons that the model has not seen.
//!
//! Where most features are zero, as with words, there are often more of them than comparisons. A rare word then tells more
//! than one that every text has, and a long text should not count more than a short one
//! ([`ScalingKind::InverseFrequency`]). That is tried beside the default, and taken where it makes held-out answers more
//! probable.

use super::{FitOptions, Observer};
use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::estimate::FEWEST;
use crate::estimate::selection::{Candidate, Dealing, SelectionRule, Standing, select};
use crate::model::{Architecture, ModelKind, ScalingKind};
use crate::train::{Config, Control, Data};

/// With more answers than this both do as well, and trying takes long.
const MOST: usize = 5_000;

/// The rows without their zeros, where nearly all are zeros and stay so: a linear model then has that much less to
/// multiply. None where the rows are best as they are.
pub(super) fn packed(rows: &Rows, options: &FitOptions) -> Option<Rows<'static>> {
    let zeros_stay = options.scaling.is_none_or(ScalingKind::keeps_zeros);
    let applies = options.model == ModelKind::Linear && zeros_stay && rows.as_sparse().is_none();
    (applies && ScalingKind::counts_words(rows)).then(|| rows.to_sparse())
}

/// The scaling that is stated, or another than the default where that is better; none where the default stands.
pub(super) fn scaling(
    data: &Data<'_>,
    comparisons: Option<&Comparisons>,
    configure: &dyn Fn(Option<ScalingKind>) -> Config,
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Option<ScalingKind>, Error> {
    if options.scaling.is_some() {
        return Ok(options.scaling);
    }
    let base = configure(None);
    let applies = base.architecture == Architecture::Linear
        && base.method.needs_pairs()
        && ScalingKind::counts_words(data.rows);
    let enough = |comparisons: &&Comparisons| (FEWEST..=MOST).contains(&comparisons.answers());
    let Some(comparisons) = comparisons.filter(enough).filter(|_| applies) else { return Ok(None) };
    let named = |name: &str, config| Candidate { name: name.into(), config };
    let candidates = [
        named("by the largest value", configure(None)),
        named("by how rare", configure(Some(ScalingKind::InverseFrequency))),
    ];
    let dealing = Dealing { seed: options.seed, ..Dealing::default() };
    let tell = std::sync::Mutex::new(observe);
    let news = |done: usize, of: usize| {
        if let Ok(mut observe) = tell.lock() {
            observe(super::Event::Choosing { done, of });
        }
    };
    let rule = SelectionRule::default();
    let selection = match select(data.rows, comparisons, &candidates, &dealing, &rule, control, news) {
        Ok(selection) => selection,
        Err(stopped @ Error::Stopped { .. }) => return Err(stopped),
        // What is too little to choose by can still be trained on.
        Err(_) => return Ok(None),
    };
    let ahead = |standing: &Standing| standing.ahead > 0.0;
    let better = selection.candidates[1].standing.as_ref().is_some_and(ahead);
    Ok(better.then_some(ScalingKind::InverseFrequency))
}
