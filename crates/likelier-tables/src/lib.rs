//! Items and answers out of the files people have, and back into files.
//!
//! CSV and TSV, JSON Lines, Parquet, NPY and NPZ, LIBSVM, plain or compressed with gzip, xz or zstd, and folders of images; read
//! whole for training
//! ([`Items`], [`read_answers`], [`read_piles`]) or a part at a time for scoring ([`ItemBatches`]). Every complaint
//! names the file and the place in it ([`TableError`]).
//!
//! ```no_run
//! use std::path::Path;
//!
//! use likelier::{FitOptions, Prior, Protocol, Supervision, fit};
//! use likelier_tables::{Items, Layout, read_answers};
//!
//! let layout = Layout::default();
//! let items = Items::read(Path::new("items.csv"), &layout)?;
//! let answers = read_answers(Path::new("comparisons.csv"), &items.ids, &layout)?;
//! let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(Prior::new(0.3)?);
//! let fitted = fit(&items.rows, &supervision, &FitOptions::new().features(items.features))?;
//! if let Some(assessment) = &fitted.assessment {
//!     println!("right in {:.3}, without a single label", assessment.new_items.metrics.accuracy.value);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod batches;
mod card;
mod checksum;
mod decompress;
mod error;
#[cfg(test)]
mod fixture;
mod given;
mod hashed;
mod ids;
mod items;
mod layout;
mod missing;
mod oddities;
mod parallel;
mod passed;
mod problem;
mod roles;
mod table;
mod texts;
mod wine;
mod write;

pub use answers::{parse_label, read_answers, read_labels, read_piles};
pub use batches::{BatchIds, ItemBatch, ItemBatches};
pub use card::{CardSource, DatasetCard};
#[doc(hidden)]
pub use checksum::{checksum, hex};
pub use decompress::{ByteSource, MAX_BYTES, MAX_LINE_BYTES};
pub use error::{FirstMissing, TableError};
pub use given::{Given, GivenFiles, grouped_answers, odd_answers};
pub use ids::Ids;
pub use items::Items;
pub use layout::{FirstIndex, Layout, OnMissing};
pub use missing::Missing;
pub use passed::bytes_read;
pub use problem::{FormatProblem, UnreadFormat};
pub use table::{CellProblem, Position};
pub use texts::TextTable;
pub use wine::Wines;
pub use write::{TableToWrite, write_field};
