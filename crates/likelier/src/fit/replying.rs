//! How people reply: estimated where ties, names, repetitions or sides can tell.

use super::{
    FitOptions, LEVEL, Observer, ScorerOptions,
    belief::{out_of_fold, scored},
};
use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::estimate::{CrossFit, FEWEST};
use crate::model::{Architecture, ModelKind};
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::replies::estimate::estimate;
use crate::replies::said::Said;
use crate::replies::{ReplyEstimate, ReplyRates, TieRates};
use crate::risk::Method;
use crate::supervision::Supervision;
use crate::train::{Config, Control, Data};
use crate::warning::Warning;

/// How often scores are learned again, knowing how people lean, and when leanings have moved too little to go on.
const MOST_TIMES_AGAIN: usize = 5;
const HARDLY_MOVED: f64 = 0.01;

/// Rates of ties that are stated must be of use.
pub(super) fn check_tie_rates(
    supervision: &Supervision,
    options: &FitOptions,
    protocol: Protocol,
) -> Result<(), Error> {
    if supervision.stated_tie_rates().is_none() {
        return Ok(());
    }
    if protocol.collection() != Collection::ForcedChoice {
        return Err(Error::TieRatesUnused { by: protocol.collection().name() });
    }
    if let Some(method) = options.method.filter(|method| !infers(Some(*method)) && !method.takes_piles()) {
        return Err(Error::TieRatesUnused { by: method.name() });
    }
    let ties = supervision
        .answers()
        .is_some_and(|answers| answers.ties().is_some_and(|ties| ties.contains(&true)));
    if ties { Ok(()) } else { Err(Error::NoTies) }
}

fn infers(method: Option<Method>) -> bool {
    method.is_none_or(|method| method == Method::PairPosterior)
}

/// What must be said where leanings alone make more wrong than was stated.
pub(super) fn warning(replies: &ReplyEstimate, protocol: Protocol) -> Option<Warning> {
    // Not for what chance may have made.
    const CLEARLY: f64 = 0.02;
    let (by_side, stated) = (replies.by_side?, protocol.labeller_error());
    (0.5 * by_side > stated + CLEARLY).then_some(Warning::PicksBySide { by_side, stated })
}

/// The rates that training should know; none where comparisons are all there is, or are all that was asked for.
///
/// Under discard ties stay half a comparison each way, and people share the stated error: without the pairs that were
/// dropped nothing tells the rates.
pub(super) fn reply_rates(
    rows: &Rows,
    comparisons: Option<&Comparisons>,
    options: &FitOptions,
    (prior, protocol): (Prior, Protocol),
    stated_ties: Option<TieRates>,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Option<ReplyEstimate>, Error> {
    let infers = options.select || infers(options.method);
    // A pile of ties needs rates that are right: those that are estimated from hundreds of answers bias a risk by more
    // than the pile spares it. Who answered and what was asked again piles do not know.
    let piled = stated_ties.is_some() && !infers && options.method.is_some_and(Method::takes_piles);
    let can_use = infers || piled;
    let forced = protocol.collection() == Collection::ForcedChoice;
    let Some(comparisons) = comparisons.filter(|_| can_use && forced && !options.plain_comparisons) else {
        return Ok(None);
    };
    let piles = comparisons.piles();
    piles.check(rows.len())?;
    let [likelier, other] = Pile::BOTH.map(|pile| piles.rows(pile));
    if !piled && !Said::may_tell(likelier, other, comparisons.told()) {
        return Ok(None);
    }
    let said = Said::new(likelier, other, comparisons.told(), true);
    if piled {
        let stated = ReplyRates::stated(protocol.labeller_error());
        return Ok(Some(ReplyEstimate::stated(ReplyRates { ties: stated_ties, ..stated })));
    }
    let tells = said.has_ties() || said.people() > 1 || said.may_lean() || said.asked_again();
    if !tells || comparisons.answers() < FEWEST {
        let stated = ReplyEstimate::stated(ReplyRates::stated(protocol.labeller_error()));
        return Ok(said.has_sides().then_some(ReplyEstimate { by_side: Some(0.0), ..stated }));
    }
    let scorer = ScorerOptions::new(ModelKind::Linear, options.seed);
    let fit = match out_of_fold(rows, comparisons, protocol, &scorer, control, observe) {
        Ok(fit) => fit,
        // What is too little to be estimated from can still be trained on.
        Err(Error::Setting { .. } | Error::TooFewToEstimate { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let from = |fit: &CrossFit<'_>| {
        let scores = [fit.scores.likelier(), fit.scores.other()];
        estimate(&said, [likelier, other], scores, (prior, protocol), stated_ties, LEVEL)
    };
    let mut found = from(&fit);
    let data = Data { rows, piles, labels: None };
    for _ in 0..MOST_TIMES_AGAIN {
        if found.rates.leanings.is_empty() {
            break;
        }
        // Where sides follow the items, scores that know of no leaning are wrong by it, and it is found too small.
        let knowing = Config {
            replies: Some(found.rates.clone()),
            seed: options.seed,
            ..Config::recommended(Method::PairPosterior, Architecture::Linear, prior, protocol, &data)
        };
        let again = scored(rows, comparisons, &knowing.until_settled(&data, None), control, observe)?;
        let next = from(&again);
        let moved = next.rates.leanings_apart(&found.rates);
        found = next;
        if moved < HARDLY_MOVED {
            break;
        }
    }
    Ok(Some(found))
}
