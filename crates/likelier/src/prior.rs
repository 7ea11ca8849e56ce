//! The class prior π = P(y = +1): the share of positives in the population.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A class prior, checked once: a number strictly between 0 and 1.
///
/// ```
/// use likelier::Prior;
///
/// let prior = Prior::new(0.2)?;
/// assert_eq!(prior.positive(), 0.2);
/// assert_eq!(prior.negative(), 0.8);
/// assert!(Prior::new(1.2).is_err());
/// # Ok::<(), likelier::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Prior(f64);

impl Prior {
    /// Accepts a number strictly inside (0, 1).
    pub fn new(value: f64) -> Result<Self, Error> {
        // The complement is checked too: 1 − 1e-17 rounds to certainty.
        if value > 0.0 && value < 1.0 && 1.0 - value < 1.0 {
            Ok(Self(value))
        } else {
            Err(Error::Prior { value: value.to_string() })
        }
    }

    /// π₊ = P(y = +1).
    pub fn positive(self) -> f64 {
        self.0
    }

    /// π₋ = P(y = −1) = 1 − π₊.
    pub fn negative(self) -> f64 {
        1.0 - self.0
    }
}

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Prior {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        text.trim()
            .parse()
            .map_err(|_| Error::Prior { value: format!("'{text}'") })
            .and_then(Self::new)
    }
}

impl TryFrom<f64> for Prior {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        Self::new(value)
    }
}

impl From<Prior> for f64 {
    fn from(prior: Prior) -> f64 {
        prior.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_strictly_inside_the_unit_interval_are_priors() {
        for bad in [0.0, 1.0, 1.2, -0.1, 20.0, f64::NAN, f64::INFINITY, 1e-20] {
            let message = Prior::new(bad).unwrap_err().to_string();
            assert!(message.contains("strictly between 0 and 1"), "{message}");
            assert!(message.contains(&bad.to_string()), "{message}");
        }
        for good in [1e-9, 0.2, 0.5, 1.0 - 1e-9] {
            assert_eq!(Prior::new(good).unwrap().positive(), good);
        }
    }

    #[test]
    fn a_prior_is_read_from_text_and_a_bad_one_quoted() {
        assert_eq!(" 0.25".parse::<Prior>().unwrap().positive(), 0.25);
        let message = "half".parse::<Prior>().unwrap_err().to_string();
        assert!(message.contains("'half'"), "{message}");
        assert!("20".parse::<Prior>().is_err());
    }
}
