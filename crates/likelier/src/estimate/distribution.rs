//! The few distributions that intervals and tests need, all from one function: the incomplete gamma
//! function Q(a, x) for whole and half a. The normal tail is ½Q(½, z²/2), the χ² tail Q(k/2, x/2).

use super::Interval;
use crate::error::Error;

/// Refuses a level that is not strictly between 0 and 1.
pub(crate) fn check_level(level: f64) -> Result<(), Error> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    let (name, value) = ("the level of an interval", level.to_string());
    Err(Error::Setting { name, value, allowed: "strictly between 0 and 1" })
}

/// P(Z > z) of a standard normal Z.
pub(crate) fn normal_tail(z: f64) -> f64 {
    let tail = 0.5 * upper_gamma(1, 0.5 * z * z);
    if z < 0.0 { 1.0 - tail } else { tail }
}

/// The z that a standard normal exceeds with probability `tail`, to about 1e-12.
pub(crate) fn normal_above(tail: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if normal_tail(middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The z of a two-sided interval of a level: 1.96 for 0.95.
pub(crate) fn two_sided(level: f64) -> f64 {
    normal_above(0.5 * (1.0 - level))
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
        check_level(level)?;
        Ok(Self { level, errors: two_sided(level) })
    }
}

/// What Student's t with so many degrees of freedom exceeds as often as a standard normal exceeds z: the first terms
/// of the expansion in 1/degrees, good to three digits from ten degrees up.
pub(crate) fn student_t(z: f64, degrees: usize) -> f64 {
    let (n, square) = (degrees.max(1) as f64, z * z);
    let first = (square + 1.0) / 4.0;
    let second = ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    z * (1.0 + first / n + second / (n * n) + third / (n * n * n))
}

/// P(X > x) of a χ² variable with `degrees` degrees of freedom.
pub(crate) fn chi_square_tail(x: f64, degrees: usize) -> f64 {
    upper_gamma(degrees, 0.5 * x)
}

/// Wilson's interval for a share: `hits` out of `of`. Nothing seen is nothing known.
pub(crate) fn share_interval(hits: usize, of: usize, level: f64) -> Interval {
    if of == 0 {
        return Interval { value: 0.5, low: 0.0, high: 1.0, level };
    }
    let (n, z) = (of as f64, two_sided(level));
    let share = hits as f64 / n;
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let centre = share + z * z / (2.0 * n);
    let scale = 1.0 + z * z / n;
    let (low, high) = ((centre - spread) / scale, (centre + spread) / scale);
    // At 0 and 1 an end is the share itself, but for rounding.
    Interval { value: share, low: low.min(share), high: high.max(share), level }.clipped(0.0, 1.0)
}

/// Q(a, x) for a = `twice`/2: by its series below a + 1, by its continued fraction above.
fn upper_gamma(twice: usize, x: f64) -> f64 {
    if x.is_nan() || twice == 0 {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    let a = 0.5 * twice as f64;
    let front = (a * x.ln() - x - ln_gamma(twice)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut at) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            at += 1.0;
            term *= x / at;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // Lentz's way through 1/(x+1−a− 1(1−a)/(x+3−a− 2(2−a)/(x+5−a− …))).
    let mut term = x + 1.0 - a;
    let (mut above, mut below) = (1e300, 1.0 / term);
    let mut fraction = below;
    for k in 1..10_000 {
        let numerator = -f64::from(k) * (f64::from(k) - a);
        term += 2.0;
        below = 1.0 / (numerator * below + term);
        above = term + numerator / above;
        fraction *= above * below;
        if (above * below - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// ln Γ(twice/2), by Γ(a+1) = aΓ(a) from Γ(½) = √π or Γ(1) = 1.
fn ln_gamma(twice: usize) -> f64 {
    let start = if twice % 2 == 1 { 0.5 * std::f64::consts::PI.ln() } else { 0.0 };
    let first = if twice % 2 == 1 { 1 } else { 2 };
    (first..twice).step_by(2).map(|k| (0.5 * k as f64).ln()).sum::<f64>() + start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_and_nonsense_are_no_levels() {
        for bad in [0.0, 1.0, 95.0, -0.5, f64::NAN] {
            let message = Confidence::new(bad).unwrap_err().to_string();
            assert!(message.contains("the level") && message.contains(&bad.to_string()));
        }
        assert!((Confidence::new(0.95).unwrap().errors - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((two_sided(0.999_999) - 4.891_638_475_698_59).abs() < 1e-9);
    }

    #[track_caller]
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-10 * b.abs().max(1e-3), "{a} is not {b}");
    }

    #[test]
    fn tails_are_those_of_the_tables() {
        // ½ erfc(z/√2) of Python's math module; closed forms; the χ² tables.
        close(normal_tail(1.0), 0.158_655_253_931_457_07);
        close(normal_tail(-1.0), 0.841_344_746_068_542_9);
        close(normal_tail(5.0), 2.866_515_718_791_933e-7);
        close(normal_above(0.025), 1.959_963_984_540_054);
        close(two_sided(0.99), 2.575_829_303_548_900_4);
        close(chi_square_tail(3.0, 2), (-1.5_f64).exp());
        close(chi_square_tail(10.0, 4), 6.0 * (-5.0_f64).exp());
        close(chi_square_tail(3.841_458_820_694_124, 1), 0.05);
        close(chi_square_tail(18.307_038_053_275_146, 10), 0.05);
        close(chi_square_tail(0.0, 3), 1.0);
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        for (degrees, expected) in [(10, 2.228), (20, 2.086), (49, 2.010), (1_000_000, 1.960)] {
            let found = student_t(two_sided(0.95), degrees);
            assert!((found - expected).abs() < 1e-3, "{found} with {degrees}");
        }
    }

    #[test]
    fn a_share_has_wilsons_interval_and_no_answer_is_no_knowledge() {
        // Wilson's formula, worked out in Python.
        let interval = share_interval(8, 10, 0.95);
        close(interval.low, 0.490_162_471_536_641_8);
        close(interval.high, 0.943_317_848_545_624_7);
        let none = share_interval(0, 0, 0.95);
        assert_eq!((none.low, none.high), (0.0, 1.0));
        let all = share_interval(5, 5, 0.95);
        assert!(all.low < 1.0 && all.high == 1.0);
    }
}
