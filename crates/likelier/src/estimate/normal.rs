//! The normal distribution: how many standard errors a level of confidence takes.

use crate::error::Error;

/// Φ(x), by the series ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …), exact to rounding for any x that matters.
pub(super) fn cumulative(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return f64::from(u8::from(x > 0.0));
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// A level of confidence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Confidence {
    /// How often a range should hold the truth.
    pub(super) level: f64,
    /// How many standard errors to either side that takes: 1.96 for 0.95.
    pub(super) errors: f64,
}

impl Confidence {
    pub(super) fn new(level: f64) -> Result<Self, Error> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::Setting {
                name: "the level of confidence",
                value: level.to_string(),
                allowed: "strictly between 0 and 1",
            });
        }
        let (mut low, mut high) = (0.0, 8.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if 2.0 * cumulative(middle) - 1.0 < level { low = middle } else { high = middle }
        }
        Ok(Self { level, errors: f64::midpoint(low, high) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (level, expected) in [
            (0.5, 0.674_489_750_196_081_7),
            (0.9, 1.644_853_626_951_472_7),
            (0.95, 1.959_963_984_540_054),
            (0.99, 2.575_829_303_548_900_4),
            (0.999_999, 4.891_638_475_698_59),
        ] {
            let found = Confidence::new(level).unwrap().errors;
            assert!((found - expected).abs() < 1e-9, "{level}: {found} is not {expected}");
        }
        assert!((cumulative(-1.0) - 0.158_655_253_931_457_05).abs() < 1e-15);
        assert_eq!((cumulative(-40.0), cumulative(0.0), cumulative(40.0)), (0.0, 0.5, 1.0));
    }

    #[test]
    fn certainty_and_nonsense_are_no_levels() {
        for bad in [0.0, 1.0, 95.0, -0.5, f64::NAN] {
            let message = Confidence::new(bad).unwrap_err().to_string();
            assert!(message.contains("level of confidence") && message.contains(&bad.to_string()));
        }
    }
}
