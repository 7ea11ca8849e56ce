//! Elementary functions, vector instructions, and work in fixed pieces: what the mathematics and the engine
//! both stand on.

pub(crate) mod math;
#[cfg_attr(not(feature = "engine"), path = "serial.rs")]
pub(crate) mod parallel;
pub(crate) mod simd;
