//! The engine: layers with forward and backward written by hand over matrix products.
//!
//! Values are stored row after row, a row being one item's `height × width × channels` numbers
//! (channels last; a plain vector has height and width 1). Parallelism is over fixed pieces of rows, so
//! results are the same bytes for any number of threads. All work space is allocated once, when a
//! [`Network`] is built for a largest batch.

mod conv;
mod dense;
mod matmul;
mod network;
mod norm;
mod plan;
mod pool;
mod winograd;

pub use dense::SquareProduct;
pub use network::{Builder, Mode, Network, NodeId, Shape};
pub(crate) use network::{Layer, Node};
#[cfg(feature = "onnx")]
pub(crate) use norm::EPSILON;
#[cfg(feature = "onnx")]
pub(crate) use pool::PoolKind;
