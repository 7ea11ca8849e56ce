//! The day of a run.

use std::env;
use std::ffi::OsString;
use std::time::{SystemTime, UNIX_EPOCH};

use likelier::data::moments::iso;

use crate::terminal::{Result, mistake};

/// The variable by which a report can be given another day, so that it is the same bytes on any:
/// <https://reproducible-builds.org/specs/source-date-epoch/>.
const VARIABLE: &str = "SOURCE_DATE_EPOCH";

/// Today in UTC, such as 2026-11-17, or the day that the variable says.
pub(super) fn today() -> Result<String> {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = match env::var_os(VARIABLE) {
        Some(stated) => seconds(&stated).ok_or_else(|| {
            mistake(
                format!("{VARIABLE} is '{}', which is no number of seconds", stated.display()),
                "unset it, or give the seconds since 1970, such as 1700000000",
            )
        })?,
        None => now(),
    };
    Ok(day(seconds))
}

/// Up to the end of the year 9999.
fn seconds(stated: &OsString) -> Option<u64> {
    stated.to_str()?.parse().ok().filter(|seconds| *seconds < 253_402_300_800)
}

/// The day of a second since 1970.
fn day(seconds: u64) -> String {
    let mut day = iso(seconds.cast_signed() * 1000);
    day.truncate("2026-11-17".len());
    day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // By `date -u -d @SECONDS +%F`.
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (68_255_999, "1972-02-29"),
            (68_256_000, "1972-03-01"),
            (951_782_400, "2000-02-29"),
            (1_700_000_000, "2023-11-14"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (253_402_300_799, "9999-12-31"),
        ] {
            assert_eq!(day(seconds), expected);
        }
        // Every day is the next one of the day before.
        let all: Vec<String> = (0..200_000).map(|at| day(86_400 * at)).collect();
        assert!(all.is_sorted() && all.windows(2).all(|two| two[0] != two[1]));
    }

    #[test]
    fn only_a_number_of_seconds_is_a_date() {
        assert_eq!(seconds(&"1700000000".into()), Some(1_700_000_000));
        for odd in ["", "-1", "today", "253402300800", "1.5"] {
            assert_eq!(seconds(&odd.into()), None, "{odd}");
        }
    }
}
