//! Where an axis has its marks, and what is written at them: steps of 1, 2 or 5 times a power of ten.

use super::text::width_of;

/// The room between two labels, as many units as a narrow letter and a half.
const GAP: f64 = 10.0;

/// From what value to what value an axis goes, and how values lie on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

/// A mark of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// Whether a value can be shown at all. The largest numbers count as infinite, so that no difference is.
pub(super) fn shown(value: f64) -> bool {
    value.abs() < 1e300
}

impl Scale {
    /// A scale that holds all values that can be shown; a range that is given is kept as it is.
    pub(super) fn new(
        values: impl Iterator<Item = f64>,
        given: Option<(f64, f64)>,
        logarithmic: bool,
    ) -> Self {
        let usable = |value: &f64| shown(*value) && (!logarithmic || *value > 0.0);
        let found = values.filter(usable).fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((low, high)) => Some((value.min(low), value.max(high))),
        });
        let given = given.filter(|(low, high)| usable(low) && usable(high) && low < high);
        let (low, high) = match (given, found) {
            (Some(range), _) => return Self { low: range.0, high: range.1, logarithmic },
            (None, Some(range)) => range,
            (None, None) if logarithmic => (1.0, 10.0),
            (None, None) => (0.0, 1.0),
        };
        if logarithmic {
            // A little air on both sides; the marks need not be at the ends.
            let air = (high / low).powf(0.06).max(1.05);
            return Self { low: low / air, high: high * air, logarithmic };
        }
        // What is all but one value gets a range around it.
        let least = 1e-9 * low.abs().max(high.abs());
        let (low, high) = match high - low {
            0.0 if low == 0.0 => (-1.0, 1.0),
            span if span <= least => (low - 0.1 * low.abs(), high + 0.1 * high.abs()),
            _ => (low, high),
        };
        let step = nice_step((high - low) / 5.0);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, logarithmic }
    }

    /// Where a value lies, 0 at the low end and 1 at the high end. What lies beyond is put on the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let of = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        ((of(value) - of(self.low)) / (of(self.high) - of(self.low))).clamp(0.0, 1.0)
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// Whether a value can be drawn on it.
    pub(super) fn takes(&self, value: f64) -> bool {
        shown(value) && (!self.logarithmic || value > 0.0)
    }

    /// The marks of a horizontal axis of this length: as many as have room for their labels.
    pub(super) fn across(&self, length: f64, size: f64) -> Vec<Tick> {
        self.fitting((length / 40.0) as usize, |ticks| {
            ticks.windows(2).all(|pair| {
                let apart = (self.place(pair[1].value) - self.place(pair[0].value)) * length;
                let halves = f64::midpoint(width_of(&pair[0].label, size), width_of(&pair[1].label, size));
                halves + GAP <= apart
            })
        })
    }

    /// The marks of a vertical axis of this length.
    pub(super) fn upwards(&self, length: f64, size: f64) -> Vec<Tick> {
        self.fitting((length / 32.0) as usize, |ticks| {
            ticks
                .windows(2)
                .all(|pair| (self.place(pair[1].value) - self.place(pair[0].value)) * length >= 1.4 * size)
        })
    }

    /// The most marks, up to a number, that fit.
    fn fitting(&self, most: usize, fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
        let most = most.clamp(2, 10);
        (1..=most)
            .rev()
            .map(|wanted| self.ticks(wanted))
            .find(|ticks| ticks.len() <= most + 1 && fits(ticks))
            .unwrap_or_default()
    }

    /// About as many marks as wanted.
    fn ticks(&self, wanted: usize) -> Vec<Tick> {
        let values = if self.logarithmic { self.decades(wanted) } else { Vec::new() };
        if !values.is_empty() {
            return values.into_iter().map(|value| Tick { value, label: plain(value) }).collect();
        }
        let step = nice_step((self.high - self.low) / wanted as f64);
        // A hair wider, so that the ends count although they are rounded.
        let first = (self.low / step - 1e-6).ceil();
        let count = (self.high / step + 1e-6).floor() - first;
        let largest = self.low.abs().max(self.high.abs());
        (0..=count.max(0.0) as usize)
            .map(|index| (first + index as f64) * step)
            .map(|value| Tick { value, label: label(value, step, largest) })
            .collect()
    }

    /// 1, 2, 5, 10, …, thinned out to powers of ten where there are many; nothing where the range is too
    /// short for them.
    fn decades(&self, wanted: usize) -> Vec<f64> {
        let (low, high) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let inside = |value: &f64| (self.low..=self.high).contains(value);
        let full: Vec<f64> = (low..=high)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10_f64.powi(power)))
            .filter(inside)
            .collect();
        if full.len() <= wanted {
            return if full.len() < 2 { Vec::new() } else { full };
        }
        let every = ((high - low) as usize).div_ceil(wanted).max(1);
        (low..=high)
            .step_by(every)
            .map(|power| 10_f64.powi(power))
            .filter(inside)
            .collect()
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below.
fn nice_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= least * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// A mark's value with the digits that its step asks for.
fn label(value: f64, step: f64, largest: f64) -> String {
    // Away from zero a step has the digits of its power of ten; a thousandth of it is nothing.
    let value = if value.abs() < step * 1e-3 { 0.0 } else { value };
    let power = (step * 1.000_001).log10().floor() as i32;
    if largest >= 1e6 || power < -5 {
        if value == 0.0 {
            return "0".to_owned();
        }
        let digits = (value.abs().log10().floor() as i32 - power).clamp(0, 15);
        return signed(&format!("{value:.*e}", digits as usize));
    }
    grouped(&format!("{value:.*}", (-power).max(0) as usize))
}

/// A number as short as it can be written.
pub(super) fn plain(value: f64) -> String {
    if value != 0.0 && !(1e-5..1e6).contains(&value.abs()) {
        return signed(&format!("{value:e}"));
    }
    grouped(&value.to_string())
}

/// 12500 as 12,500.
fn grouped(number: &str) -> String {
    let digits = number.trim_start_matches('-');
    let whole = digits.find('.').unwrap_or(digits.len());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    signed(&if number.starts_with('-') { format!("-{text}") } else { text })
}

/// With a true minus sign.
fn signed(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    fn scale(low: f64, high: f64) -> Scale {
        Scale::new([low, high].into_iter(), None, false)
    }

    #[test]
    fn marks_are_at_round_numbers() {
        assert_eq!(
            labels(&scale(0.0, 1.0).across(300.0, 12.0)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(&scale(1.0, 100.0).across(300.0, 12.0)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            labels(&scale(-3.2, 4.1).upwards(200.0, 12.0)),
            ["\u{2212}4", "\u{2212}2", "0", "2", "4", "6"]
        );
        assert_eq!(labels(&scale(0.0, 15_000.0).across(300.0, 12.0)), ["0", "5,000", "10,000", "15,000"]);
        assert_eq!(labels(&scale(0.861, 0.872).upwards(200.0, 12.0)), ["0.860", "0.865", "0.870", "0.875"]);
        assert_eq!(labels(&scale(0.0, 2e7).across(300.0, 12.0)), ["0", "5e6", "1.0e7", "1.5e7", "2.0e7"]);
    }

    #[test]
    fn a_logarithmic_scale_has_one_two_five() {
        let scale = Scale::new([200.0, 15_000.0].into_iter(), None, true);
        assert_eq!(labels(&scale.across(400.0, 12.0)), ["200", "500", "1,000", "2,000", "5,000", "10,000"]);
        assert_eq!(labels(&scale.across(150.0, 12.0)), ["1,000", "10,000"]);
        // Where nothing of that lies inside, ordinary marks serve.
        let narrow = Scale::new([210.0, 400.0].into_iter(), None, true);
        assert_eq!(labels(&narrow.across(300.0, 12.0)), ["200", "250", "300", "350", "400"]);
        assert!(!scale.takes(0.0) && !scale.takes(-1.0) && scale.takes(1e-9));
    }

    #[test]
    fn labels_never_touch_however_small_the_axis_is() {
        let ranges = [(0.0, 1.0), (0.1234, 0.1235), (-1e9, 1e9), (99_999.0, 100_001.0), (1e-8, 3e-8)];
        for (low, high) in ranges {
            for logarithmic in [false, true] {
                let scale = Scale::new([low, high].into_iter(), None, logarithmic);
                for length in (40..900).step_by(7).map(f64::from) {
                    let ticks = scale.across(length, 12.0);
                    for pair in ticks.windows(2) {
                        let end =
                            scale.place(pair[0].value) * length + width_of(&pair[0].label, 12.0) / 2.0;
                        let start =
                            scale.place(pair[1].value) * length - width_of(&pair[1].label, 12.0) / 2.0;
                        assert!(end < start, "{low} to {high} in {length}: {:?}", labels(&ticks));
                        assert_ne!(pair[0].label, pair[1].label);
                    }
                }
            }
        }
    }

    #[test]
    fn one_value_none_and_what_is_not_a_number_have_a_scale_too() {
        assert_eq!(
            labels(&scale(0.0, 0.0).across(200.0, 12.0)),
            ["\u{2212}1.0", "\u{2212}0.5", "0.0", "0.5", "1.0"]
        );
        assert!((scale(5.0, 5.0).place(5.0) - 0.5).abs() < 1e-12);
        let nothing = Scale::new([f64::NAN, f64::INFINITY, f64::MAX].into_iter(), None, false);
        assert_eq!((nothing.low, nothing.high), (0.0, 1.0));
        let huge = scale(-1e299, 1e299);
        assert!(huge.across(300.0, 12.0).len() > 1);
        assert_eq!(huge.place(2e299), 1.0);
    }

    #[test]
    fn a_given_range_is_kept_and_what_lies_beyond_is_put_on_its_end() {
        let scale = Scale::new([7.0].into_iter(), Some((0.0, 1.0)), false);
        assert_eq!((scale.low, scale.high, scale.place(7.0), scale.place(-1.0)), (0.0, 1.0, 1.0, 0.0));
        // One that is none is as if it were not given.
        assert_eq!(Scale::new([0.0, 7.0].into_iter(), Some((1.0, 1.0)), false).high, 8.0);
    }
}
