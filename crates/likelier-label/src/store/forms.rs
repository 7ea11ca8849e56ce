//! Words and times as they stand in the file.

use std::time::{SystemTime, UNIX_EPOCH};

use likelier::data::moments::seconds;
use serde::{Deserialize, Serialize};

/// What a person said about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The one on the left is likelier.
    Left,
    /// The one on the right is.
    Right,
    /// Cannot tell.
    Tie,
    /// Not answered.
    Skip,
    /// Something is wrong with the pair.
    Flag,
}

impl Choice {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Tie => "tie",
            Self::Skip => "skip",
            Self::Flag => "flag",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Left, Self::Right, Self::Tie, Self::Skip, Self::Flag]
            .into_iter()
            .find(|choice| choice.name() == name)
    }

    /// Whether it says something about the two items, and not about the pair.
    pub fn compares(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::Tie)
    }
}

/// How a pair came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Drawn uniformly from all pairs.
    Uniform,
    /// Drawn from the items that were shown least.
    Balanced,
    /// Drawn from the items that the live estimate is unsure of.
    Chosen,
    /// Answered before by the same person, now with the sides swapped.
    Again,
    /// Answered before by somebody else.
    Shared,
    /// From a file.
    Imported,
}

impl Origin {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Balanced => "balanced",
            Self::Chosen => "chosen",
            Self::Again => "again",
            Self::Shared => "shared",
            Self::Imported => "imported",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Uniform, Self::Balanced, Self::Chosen, Self::Again, Self::Shared, Self::Imported]
            .into_iter()
            .find(|origin| origin.name() == name)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// Milliseconds out of whatever can be read as a time.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    seconds(text).map(|seconds| (1000.0 * seconds).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use likelier::data::moments::iso;

    #[test]
    fn times_are_dates() {
        for time in [0, 951_825_599_999, 1_794_918_645_250, 4_107_542_399_000] {
            assert_eq!(parse_time(&iso(time)), Some(time));
        }
        assert_eq!(parse_time("1794918645.25"), Some(1_794_918_645_250));
        assert_eq!((parse_time("yesterday"), parse_time("2026-13-01T00:00")), (None, None));
    }
}
