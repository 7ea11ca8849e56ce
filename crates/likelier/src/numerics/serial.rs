//! What `parallel.rs` offers to those who need no engine, on one thread.

/// Does work for each of the items.
pub(crate) fn share<T>(items: impl Iterator<Item = T>, work: impl Fn(T)) {
    items.for_each(work);
}
