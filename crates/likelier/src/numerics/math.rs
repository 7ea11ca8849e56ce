//! Elementary functions written out, so that loops over them use vector instructions and give the same
//! bits on every platform.

#![allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]

/// e^x for x ≤ 0, to within two units in the last place; 0 below −708.
#[inline(always)]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// Adding it leaves the nearest whole number in the low bits of the sum.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let bounded = if x < -708.0 { -708.0 } else { x };
    let shifted = bounded * std::f64::consts::LOG2_E + ROUNDER;
    let power = shifted - ROUNDER;
    let rest = bounded - power * LN_2_HIGH - power * LN_2_LOW;
    // Taylor to x¹³ on |x| ≤ ln 2 / 2.
    let mut series = 1.0 / 6_227_020_800.0;
    series = series * rest + 1.0 / 479_001_600.0;
    series = series * rest + 1.0 / 39_916_800.0;
    series = series * rest + 1.0 / 3_628_800.0;
    series = series * rest + 1.0 / 362_880.0;
    series = series * rest + 1.0 / 40_320.0;
    series = series * rest + 1.0 / 5_040.0;
    series = series * rest + 1.0 / 720.0;
    series = series * rest + 1.0 / 120.0;
    series = series * rest + 1.0 / 24.0;
    series = series * rest + 1.0 / 6.0;
    series = series * rest + 0.5;
    series = series * rest + 1.0;
    series = series * rest + 1.0;
    // The low bits of `shifted` are the power of two; moved into the exponent they scale the result.
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x < -708.0 { 0.0 } else { series * scale }
}

/// ln(1 + x) for 0 ≤ x ≤ 1, to within a few units in the last place: 2·artanh(x/(2 + x)).
#[inline(always)]
pub(crate) fn ln_1p_of_unit(x: f64) -> f64 {
    let s = x / (2.0 + x);
    let square = s * s;
    // s ≤ 1/3, so s³⁷ is below the last place.
    let mut series = 1.0 / 35.0;
    series = series * square + 1.0 / 33.0;
    series = series * square + 1.0 / 31.0;
    series = series * square + 1.0 / 29.0;
    series = series * square + 1.0 / 27.0;
    series = series * square + 1.0 / 25.0;
    series = series * square + 1.0 / 23.0;
    series = series * square + 1.0 / 21.0;
    series = series * square + 1.0 / 19.0;
    series = series * square + 1.0 / 17.0;
    series = series * square + 1.0 / 15.0;
    series = series * square + 1.0 / 13.0;
    series = series * square + 1.0 / 11.0;
    series = series * square + 1.0 / 9.0;
    series = series * square + 1.0 / 7.0;
    series = series * square + 1.0 / 5.0;
    series = series * square + 1.0 / 3.0;
    series = series * square + 1.0;
    2.0 * s * series
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_exponential_agrees_with_the_systems(x in -708.0..=0.0_f64) {
            let (ours, theirs) = (exp_of_negative(x), x.exp());
            prop_assert!((ours - theirs).abs() <= 1e-15 * theirs, "{ours} is not {theirs} at {x}");
        }

        #[test]
        fn the_logarithm_agrees_with_the_systems(x in 0.0..=1.0_f64, shrink in 0..300_i32) {
            let x = x * 2.0_f64.powi(-shrink);
            let (ours, theirs) = (ln_1p_of_unit(x), x.ln_1p());
            prop_assert!((ours - theirs).abs() <= 1e-15 * theirs, "{ours} is not {theirs} at {x}");
        }
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-0.0), 1.0);
        assert_eq!(exp_of_negative(-1e4), 0.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
        assert_eq!(ln_1p_of_unit(0.0), 0.0);
    }
}
