//! Who does work that can be done anywhere: the threads of this machine, or a cluster.
//!
//! Work is a value: it can be sent, done twice, and done by somebody else after a machine died. What comes of it
//! depends on the value alone, so results never depend on who did the work.

use crate::error::Error;

/// Does a task that falls into parts.
///
/// There are two kinds of task: an [`Ask`](crate::shards::Ask), which every shard answers, and a
/// [`Stage`](crate::trial::Stage), whose trials are run. [`Threads`] does both on this machine.
pub trait Executor<Task: ?Sized>: Sync {
    /// What comes of a part.
    type Done;

    /// Does all parts, and gives what came of each in the order of the parts, whoever was first.
    fn run(&self, task: &Task) -> Result<Vec<Self::Done>, Error>;
}

/// The threads of this machine, and what they work on.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'a, On: ?Sized>(pub &'a On);
