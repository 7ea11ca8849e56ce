//! Moments: a number of seconds (or of milliseconds) since 1970, or a date such as `2026-11-17T12:30:05+01:00`.

/// Seconds in a day.
pub const DAY: f64 = 86_400.0;

/// Days from the first of March of the year 0 to the first day of 1970.
const BEFORE_1970: f64 = 719_468.0;

/// Seconds since 1970 out of a number or a date.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        // As many seconds are three thousand years: these are milliseconds.
        return number
            .is_finite()
            .then_some(if number.abs() > 1e11 { number / 1000.0 } else { number });
    }
    date(text)
}

/// Seconds since 1970 out of `YYYY-MM-DD`, perhaps with `T` or a space and `hh:mm`, `:ss`, a fraction, and `Z`,
/// `UTC` or `±hh:mm`; without these it is taken for UTC.
pub fn date(text: &str) -> Option<f64> {
    let whole = |part: &str| {
        part.parse::<u32>()
            .ok()
            .filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let text = text.trim();
    let text = text
        .strip_suffix("UTC")
        .or_else(|| text.strip_suffix("GMT"))
        .unwrap_or(text)
        .trim_end();
    let (day, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text, ""),
    };
    let mut parts = day.split('-');
    let (year, month, day) = (whole(parts.next()?)?, whole(parts.next()?)?, whole(parts.next()?)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) || year > 9999 {
        return None;
    }
    // Days since the first of March of the year 0.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let mut total = (f64::from(days) - BEFORE_1970) * DAY;
    if time.is_empty() {
        return Some(total);
    }
    let (clock, shift) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (&time[..at], &time[at..]),
        None => (time, ""),
    };
    let mut parts = clock.trim().split(':');
    let (hour, minute) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let second = parts
        .next()
        .map_or(Some(0.0), |part| part.parse::<f64>().ok().filter(|s| (0.0..61.0).contains(s)))?;
    if parts.next().is_some() || hour > 24 || minute > 59 {
        return None;
    }
    total += f64::from(hour) * 3600.0 + f64::from(minute) * 60.0 + second;
    if let Some(rest) = shift.strip_prefix(['+', '-']) {
        let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
        let (hours, minutes) = match digits.len() {
            2 => (whole(&digits)?, 0),
            4 => (whole(&digits[..2])?, whole(&digits[2..])?),
            _ => return None,
        };
        let offset = f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0;
        total += if shift.starts_with('+') { -offset } else { offset };
    } else if shift.len() > 1 {
        return None;
    }
    Some(total)
}

/// Milliseconds since 1970 as `2026-11-17T12:30:05.250Z`.
pub fn iso(milliseconds: i64) -> String {
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    // Days since the first of March of the year 0, in eras of 400 years.
    let shifted = days + BEFORE_1970 as i64;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_read_and_nothing_else() {
        let apart = |one: &str, two: &str| seconds(two).unwrap() - seconds(one).unwrap();
        assert!((apart("12.5", "13") - 0.5).abs() < 1e-9);
        assert!((apart("1763380000000", "1763380002500") - 2.5).abs() < 1e-6);
        assert!((apart("2026-11-17T12:30:05", "2026-11-17 12:31:06.5") - 61.5).abs() < 1e-6);
        assert!((apart("2028-02-28", "2028-03-01") - 2.0 * 86_400.0).abs() < 1e-6, "a leap year");
        assert!((apart("2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z") - 1.0).abs() < 1e-6);
        assert!(apart("2026-11-17T12:00:00Z", "2026-11-17T13:00:00+01:00").abs() < 1e-6);
        for bad in
            ["noon", "17.11.2026", "2026-13-01", "2026-11-17T25:00", "2026-11-17Tx", "", "nan", "2026-11"]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn moments_are_dates_and_back() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(951_825_599_999), "2000-02-29T11:59:59.999Z");
        assert_eq!(iso(1_794_918_645_250), "2026-11-17T12:30:45.250Z");
        assert_eq!(iso(4_107_542_399_000), "2100-02-28T23:59:59.000Z");
        for at in [0, 951_825_599_999, 1_794_918_645_250, 4_107_542_399_000] {
            assert_eq!(seconds(&iso(at)).map(|seconds| (1000.0 * seconds).round() as i64), Some(at));
        }
        assert_eq!(seconds("2016-01-31 16:59:52.0 UTC"), seconds("2016-01-31T16:59:52Z"));
    }
}
