//! How people reply: estimated where ties, names or repetitions can tell.

use super::{FitOptions, Observer, ScorerOptions, belief::out_of_fold};
use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::estimate::FEWEST;
use crate::model::ModelKind;
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::replies::ReplyRates;
use crate::replies::estimate::estimate;
use crate::replies::said::Said;
use crate::risk::Method;
use crate::train::Control;

/// The rates that training should know; none where comparisons are all there is, or are all that was asked for.
///
/// Under discard ties stay half a comparison each way, and people share the stated error: without the pairs that were
/// dropped nothing tells the rates.
pub(super) fn reply_rates(
    rows: &Rows,
    comparisons: Option<&Comparisons>,
    options: &FitOptions,
    (prior, protocol): (Prior, Protocol),
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Option<ReplyRates>, Error> {
    let can_use = options.select || options.method.is_none_or(|method| method == Method::PairPosterior);
    let forced = protocol.collection() == Collection::ForcedChoice;
    let Some(comparisons) = comparisons.filter(|_| can_use && forced && !options.plain_comparisons) else {
        return Ok(None);
    };
    let piles = comparisons.piles();
    piles.check(rows.len())?;
    let [likelier, other] = Pile::BOTH.map(|pile| piles.rows(pile));
    let said = Said::new(likelier, other, comparisons.told(), true);
    let tells = said.has_ties() || said.people() > 1 || said.asked_again();
    if !tells || comparisons.answers() < FEWEST {
        return Ok(None);
    }
    let scorer = ScorerOptions::new(ModelKind::Linear, options.seed);
    let fit = match out_of_fold(rows, comparisons, protocol, &scorer, control, observe) {
        Ok(fit) => fit,
        // What is too little to be estimated from can still be trained on.
        Err(Error::Setting { .. } | Error::TooFewToEstimate { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(estimate(&said, [fit.scores.likelier(), fit.scores.other()], prior, protocol)))
}
