//! The widest vector instructions the machine has, for plain loops.
//!
//! [`fast`] runs a closure compiled once for AVX-512, once for AVX2 and once for plain x86-64 (Neon on
//! ARM), chosen at run time. The loops are ordinary Rust and never ask for fused multiply–add, so all
//! versions round alike: the choice changes speed, not bits. Without the engine they run as they are.

#[cfg(feature = "engine")]
use std::cell::RefCell;

/// Defines a function whose body is compiled for each set of instructions, as [`fast`] does with a
/// closure. The compiler may leave a large closure outside; this body it may not. References in the
/// arguments carry the lifetime `'w`.
macro_rules! wide {
    (
        $(#[$attribute:meta])*
        $visible:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $output:ty)? $body:block
    ) => {
        $(#[$attribute])*
        $visible fn $name<'w>($($argument: $kind),*) $(-> $output)? {
            #[cfg(feature = "engine")]
            {
                struct Wide<'w>($($kind,)* std::marker::PhantomData<&'w ()>);
                impl<'w> pulp::WithSimd for Wide<'w> {
                    type Output = $crate::numerics::simd::wide!(@output $($output)?);
                    #[inline(always)]
                    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
                        let Self($($argument,)* _) = self;
                        $body
                    }
                }
                pulp::Arch::new().dispatch(Wide($($argument,)* std::marker::PhantomData))
            }
            #[cfg(not(feature = "engine"))]
            $body
        }
    };
    (@output) => { () };
    (@output $output:ty) => { $output };
}
pub(crate) use wide;

/// Asks the processor to fetch the memory of an element that will be read soon. Past the end of the slice
/// nothing is asked for.
#[cfg(feature = "engine")]
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
#[allow(unsafe_code, reason = "the intrinsic takes a pointer; it reads nothing and cannot fault")]
pub(crate) fn prefetch<T>(values: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = values.get(at) {
        // SAFETY: prefetching is a hint without effect on memory, and SSE is part of x86-64.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                std::ptr::from_ref(value).cast(),
            );
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, at);
}

/// Runs a small loop with the widest vectors at hand. Everything it calls must be inlined into it.
#[cfg(feature = "engine")]
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
pub(crate) fn fast<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// The value, or 0. Written so that the compiler stores all of a vector: where it sees a choice of what to store, it
/// takes a masked store, which costs some processors (AMD's) ten times as much.
#[cfg(feature = "engine")]
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
pub(crate) fn kept_if(keep: bool, value: f32) -> f32 {
    f32::from_bits(value.to_bits() & 0_u32.wrapping_sub(u32::from(keep)))
}

/// Lends a thread's own scratch buffer, which only ever grows. Its content is left over from before.
#[cfg(feature = "engine")]
pub(crate) fn with_scratch<R>(length: usize, work: impl FnOnce(&mut [f32]) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
    }
    // Taken out while in use: work stolen by this thread meanwhile finds an empty one, not a borrowed one.
    let mut scratch = SCRATCH.take();
    if scratch.len() < length {
        scratch.resize(length, 0.0);
    }
    let result = work(&mut scratch[..length]);
    SCRATCH.set(scratch);
    result
}

#[cfg(all(test, feature = "engine"))]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream, unit};

    #[test]
    fn wide_and_plain_instructions_give_the_same_bits() {
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "as above")]
        fn body(x: &[f32], y: &[f32], out: &mut [f32]) {
            for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                *out = x * y + x / (y * y + 1.0) - (x * x + 0.5).sqrt();
            }
        }
        let mut rng = stream(1, Purpose::Weights);
        let mut draw = || (0..1003).map(|_| unit(&mut rng) as f32 * 8.0 - 4.0).collect::<Vec<f32>>();
        let (x, y) = (draw(), draw());
        let (mut wide, mut plain) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        fast(|| body(&x, &y, &mut wide));
        body(&x, &y, &mut plain);
        assert_eq!(wide, plain);
    }

    #[test]
    fn scratch_is_kept_and_nested_use_is_allowed() {
        with_scratch(4, |outer| {
            outer.fill(1.0);
            with_scratch(8, |inner| inner.fill(2.0));
            assert_eq!(outer, [1.0; 4]);
        });
    }
}
