//! An estimate and how far it may be off.

use serde::{Deserialize, Serialize};

/// An estimate with the range that holds the truth with probability `level`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Where the range begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// How often such a range holds the truth.
    pub level: f64,
}

impl Interval {
    /// How wide the range is.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Whether the range holds a value.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The same with everything cut to what is possible, for display.
    #[must_use]
    pub fn clipped(&self, lowest: f64, highest: f64) -> Self {
        let cut = |value: f64| value.clamp(lowest, highest);
        Self { value: cut(self.value), low: cut(self.low), high: cut(self.high), level: self.level }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_the_range_inside_and_its_level() {
        let interval = Interval { value: 1.1, low: 0.8, high: 1.4, level: 0.95 };
        assert!((interval.width() - 0.6).abs() < 1e-12 && interval.holds(0.8) && !interval.holds(0.7));
        let expected = Interval { value: 1.0, low: 0.8, high: 1.0, level: 0.95 };
        assert_eq!(interval.clipped(0.0, 1.0), expected);
    }
}
