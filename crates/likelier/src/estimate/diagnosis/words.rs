//! What remarks say, in plain words.

use std::fmt;

use super::remark::{FEW, GradingEvidence, Remark, Unlike};
use crate::estimate::Interval;
use crate::estimate::metrics::FEWEST_AGAIN;
use crate::words::{by_count, by_count_with};

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn range(interval: &Interval) -> String {
    format!("{:.0} to {:.0} %", 100.0 * interval.low, 100.0 * interval.high)
}

impl fmt::Display for Remark {
    #[allow(clippy::too_many_lines, reason = "one arm for each remark")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewComparisons { comparisons } => write!(
                f,
                "{} few: below about {FEW} the data rarely reveal the prior and the protocol, so you must know them",
                by_count_with(*comparisons, "comparison is", "comparisons are")
            ),
            Self::WithItself { comparisons } => write!(
                f,
                "{}",
                by_count_with(
                    *comparisons,
                    "comparison is of an item with itself: it says nothing and should be removed",
                    "comparisons are of an item with itself: they say nothing and should be removed"
                )
            ),
            Self::Pasted { rows, first, again } => write!(
                f,
                "{} twice, word for word, such as answers {} and {}: {} pasted. Remove one copy",
                by_count_with(*rows, "row occurs", "rows occur"),
                first + 1,
                again + 1,
                by_count(*rows, "it looks", "they look")
            ),
            Self::AskedOnce => f.write_str(
                "no pair was asked twice, so disagreement cannot show the labeller's error, nor whether equals are \
                 ordered by degree; ask 200 pairs twice to see both",
            ),
            Self::RepeatedPairs { repeated, pairs } if *repeated < FEWEST_AGAIN => write!(
                f,
                "only {repeated} of {pairs} pairs were asked more than once, too few to show the labeller's error or \
                 whether equals are ordered by degree; ask 200 pairs twice to see both"
            ),
            Self::RepeatedPairs { repeated, pairs } => write!(
                f,
                "{repeated} of {pairs} pairs were asked more than once: good for measuring the labeller. All answers to a \
                 pair count as one observation here"
            ),
            Self::Contradictions { contradicted, asked, differ } => write!(
                f,
                "{} recorded in both orders; of {asked} repeated answers {differ} differ. Two items \
                 of one class are a coin toss, so up to half of such answers may differ even if the labeller never errs",
                by_count_with(*contradicted, "pair was", "pairs were")
            ),
            Self::NoCycles => f.write_str("the comparisons contain no circles"),
            Self::Cycles { knots, largest, share } => write!(
                f,
                "{} likelier than each other in a circle, the largest of {largest} items \
                 ({} of those compared). That is no fault: two items of one class are a coin toss",
                by_count_with(*knots, "group of items is", "groups of items are"),
                percent(*share)
            ),
            Self::NeverCompared { never, items } => write!(
                f,
                "{never} of {items} items {}",
                by_count(
                    *never,
                    "was never compared: it can be scored, but nothing is learned from it",
                    "were never compared: they can be scored, but nothing is learned from them"
                )
            ),
            Self::Islands { islands, largest } => write!(
                f,
                "the compared items fall into {islands} groups without a comparison between them, the largest of \
                 {largest} items. That does not matter to a model of features, but without such a model the items cannot \
                 be ranked"
            ),
            Self::Grouped { groups, by_islands } => {
                let how = if *by_islands {
                    "no comparison joins them; say which is which in a column `group`"
                } else {
                    "as the column `group` says"
                };
                write!(
                    f,
                    "the pairs come in {groups} groups ({how}): each item was compared with items of its own group only. \
                     How pairs were collected is tested within groups"
                )
            }
            Self::NoAnnotators => f.write_str(
                "it is not recorded who made which comparison, so annotators cannot be compared; add a column `annotator`",
            ),
            Self::OneAnnotator => f
                .write_str("one annotator made all comparisons, so errors that only they make cannot be seen"),
            Self::OneAnswerEach => f.write_str(
                "every annotator gave a single answer or two: nothing can be said about any of them alone",
            ),
            Self::NothingShared => f.write_str(
                "no pair was answered by two annotators: give them some pairs in common to compare them",
            ),
            Self::Agreement(agreement) => write!(
                f,
                "two annotators agree on {} of the pairs they share ({}); coin tosses would give one half",
                percent(agreement.value),
                range(agreement)
            ),
            Self::StandsOut { name, how, share, others, of, by_features } => {
                let seen = if *by_features {
                    format!(
                        "{name}'s answers follow the features {} as closely as the others' do ({of} answers)",
                        percent(share / others)
                    )
                } else {
                    format!(
                        "{name} agrees with the others on {} of {of} shared pairs, where the others agree on {} among \
                         themselves",
                        percent(*share),
                        percent(*others)
                    )
                };
                let meaning = match how {
                    Unlike::Careless => "errs more often than the others; look at some of these answers",
                    Unlike::Coin => "the answers are hardly better than coin tosses; leave them out, or ask again",
                    Unlike::Contrary => {
                        "less than coin tosses would give: perhaps the question was read the other way round"
                    }
                };
                write!(f, "{seen}: {meaning}")
            }
            Self::Copied { names: [one, two], agree, of, others } => {
                write!(f, "{one} and {two} gave the same answer to {} of the {of} pairs they share", percent(*agree))?;
                match others {
                    Some(others) => write!(f, ", other people to {}", percent(*others))?,
                    None => f.write_str(", more than two people would")?,
                }
                f.write_str(": one may have copied the other. Ask them, and leave one of the two out")
            }
            Self::NoTies => f.write_str("it is not recorded whether the labeller saw a tie"),
            Self::NoTieSeen => f.write_str("ties could be recorded, but none were"),
            Self::Ties { share } => write!(
                f,
                "{} were called ties: each counts as half a comparison each way. A tie between items of different classes \
                 acts like a labeller's error of one half on that pair",
                percent(*share)
            ),
            Self::NoSides => f.write_str(
                "it is not recorded which side an item was shown on, so a leaning to one side cannot be seen; add a \
                 column `side`",
            ),
            Self::NoLeaning => f.write_str("neither side is picked more often than chance allows"),
            Self::Leaning { left, who } => {
                let who = who.as_ref().map_or("", String::as_str);
                let by = if who.is_empty() { "" } else { " by " };
                write!(
                    f,
                    "the item on the left was picked {} of the time{by}{who} ({}): answers lean to one side, which acts \
                     like a labeller's error; show each pair in random order",
                    percent(left.value),
                    range(left)
                )
            }
            Self::OneKey { name, times } => {
                let who = name.as_ref().map_or("somebody", String::as_str);
                write!(f, "{who} picked the same side {times} times in a row, more than chance allows: look at these")
            }
            Self::NoTimes => f.write_str(
                "it is not recorded when answers were given, so haste and change over time cannot be seen; add a column \
                 `time`",
            ),
            Self::TimesUnreadable { example } => write!(
                f,
                "the times cannot be read (such as '{example}'), so haste and change over time cannot be seen; give \
                 seconds, or dates like 2026-11-17T12:30:05"
            ),
            Self::TooFast { name, seconds, others } => write!(
                f,
                "{name} takes {seconds:.1} seconds for an answer, the others {others:.1}: too fast to look at both items"
            ),
            Self::Drift { what, early, late } => write!(
                f,
                "{what} changed over time: {} in the first half of the answers, {} in the second",
                percent(*early),
                percent(*late)
            ),
            Self::Coins { ordered, agreement } => write!(
                f,
                "the answers look like coin tosses: the features order {} of them right ({}), and two answers to one \
                 pair agree in {} ({})",
                percent(ordered.value),
                range(ordered),
                percent(agreement.value),
                range(agreement)
            ),
            Self::Unexplained { ordered, consistent } => {
                write!(
                    f,
                    "these features do not explain the answers: a model of them orders {} of the pairs it has not seen as \
                     people did ({}), and a coin does half",
                    percent(ordered.value),
                    range(ordered)
                )?;
                if *consistent {
                    f.write_str(
                        ". People agree with each other, so look at the ids (do they name the right rows?) and at the \
                         features",
                    )
                } else {
                    f.write_str(
                        ". Check that ids name the right rows, and that the features say something about the question; \
                         pairs asked twice would show whether people agree with themselves",
                    )
                }
            }
            Self::NotShown { ordered } => write!(
                f,
                "it is not shown that these features explain the answers: a model of them orders {} of the pairs as \
                 people did ({}), and a coin does half. More comparisons would tell",
                percent(ordered.value),
                range(ordered)
            ),
            Self::Graded { evidence } => {
                f.write_str("items of one class were ordered by degree, not by a coin: ")?;
                for (at, one) in evidence.iter().enumerate() {
                    f.write_str(if at > 0 { "; " } else { "" })?;
                    one.fmt(f)?;
                }
                f.write_str(
                    ". Ranking is the better for it, but the estimated prior and accuracy are not to be trusted: state \
                     the prior, or label some items",
                )
            }
            Self::Contradicted { words } => f.write_str(words),
            Self::ErrsMore { stated, found } => write!(
                f,
                "the labeller errs on {} of mixed pairs ({}), more than the stated {}: state it (`labeller-error`)",
                percent(found.value),
                range(found),
                percent(*stated)
            ),
            #[cfg(feature = "engine")]
            Self::Sampled(sample) => write!(f, "{sample}"),
        }
    }
}

impl fmt::Display for GradingEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Additivity { probability } if *probability < 1e-4 => {
                f.write_str("the orders are not additive in the two items (p < 0.0001)")
            }
            Self::Additivity { probability } => {
                write!(f, "the orders are not additive in the two items (p = {probability:.4})")
            }
            Self::Agreement { found, most, pairs } => write!(
                f,
                "two answers to one pair agree in {} of {pairs} pairs ({}), where coins on equals allow {} at most",
                percent(found.value),
                range(found),
                percent(*most)
            ),
            Self::Triples { found, least } => write!(
                f,
                "{:.1} % of triples run in a circle ({:.1} to {:.1} %), where coins on equals give {:.1} % at least",
                100.0 * found.value,
                100.0 * found.low,
                100.0 * found.high,
                100.0 * least
            ),
        }
    }
}
