//! Words and times as they stand in the file.

use std::time::{SystemTime, UNIX_EPOCH};

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
            Self::Again => "again",
            Self::Shared => "shared",
            Self::Imported => "imported",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Uniform, Self::Balanced, Self::Again, Self::Shared, Self::Imported]
            .into_iter()
            .find(|origin| origin.name() == name)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// A time as `2026-11-17T12:30:05.250Z`.
pub(crate) fn iso(milliseconds: i64) -> String {
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    // Days since the first of March of the year 0, in eras of 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + 400 * era, if month < 10 { month + 3 } else { month - 9 });
    let year = if month <= 2 { year + 1 } else { year };
    let (seconds, thousandths) = (rest / 1000, rest % 1000);
    format!(
        "{year:04}-{month:02}-{of_month:02}T{:02}:{:02}:{:02}.{thousandths:03}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Milliseconds out of seconds or milliseconds since 1970, or out of a date in UTC such as `2026-11-17T12:30:05.25Z`.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    if let Ok(number) = text.trim().parse::<f64>() {
        // As many seconds are three thousand years.
        let scale = if number.abs() > 1e11 { 1.0 } else { 1000.0 };
        return number.is_finite().then_some((scale * number).round() as i64);
    }
    let (date, clock) = text.trim().split_once(['T', ' '])?;
    let clock = clock.split(['Z', '+', '-']).next()?;
    let whole = |part: Option<&str>| part?.parse::<i64>().ok();
    let (mut date, mut clock) = (date.split('-'), clock.split(':'));
    let (year, month, day) = (whole(date.next())?, whole(date.next())?, whole(date.next())?);
    let (hour, minute) = (whole(clock.next())?, whole(clock.next())?);
    let second: f64 = clock.next().map_or(Some(0.0), |part| part.parse().ok())?;
    let fits = (1..=12).contains(&month) && (1..=31).contains(&day) && (0..10_000).contains(&year);
    if !fits || !(0..25).contains(&hour) || !(0..60).contains(&minute) || !(0.0..61.0).contains(&second) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + (1000.0 * second).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(951_825_599_999), "2000-02-29T11:59:59.999Z");
        assert_eq!(iso(1_794_918_645_250), "2026-11-17T12:30:45.250Z");
        for time in [0, 951_825_599_999, 1_794_918_645_250, 4_107_542_399_000] {
            assert_eq!(parse_time(&iso(time)), Some(time));
        }
        assert_eq!(parse_time("1794918645.25"), Some(1_794_918_645_250));
        assert_eq!((parse_time("yesterday"), parse_time("2026-13-01T00:00")), (None, None));
        assert_eq!(iso(4_107_542_399_000), "2100-02-28T23:59:59.000Z");
    }
}
