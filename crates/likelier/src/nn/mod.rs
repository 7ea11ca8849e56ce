//! The engine: layers with forward and backward written by hand over matrix products.
//!
//! Values are stored row after row, a row being one item's `height × width × channels` numbers
//! (channels last; a plain vector has height and width 1). Parallelism is over fixed pieces of rows, so
//! results are the same bytes for any number of threads. All work space is allocated once, when a
//! [`Network`] is built for a largest batch.

mod conv;
mod dense;
pub(crate) mod math;
mod matmul;
mod network;
mod norm;
pub(crate) mod parallel;
mod plan;
mod pool;
pub(crate) mod simd;
mod winograd;

pub use dense::SquareProduct;
pub use network::{Builder, Mode, Network, NodeId, Shape};
pub(crate) use network::{Layer, Node};
pub(crate) use norm::EPSILON;
pub(crate) use pool::PoolKind;
