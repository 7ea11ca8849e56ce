//! Which items hang together by comparisons, whatever their order: a union–find forest.

/// Each item's connected component, named by one of its items.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    root: Vec<u32>,
    largest: usize,
}

impl Components {
    /// The components of `items` items, each of the pairs' among them.
    pub(crate) fn of(pairs: impl Iterator<Item = (u32, u32)>, items: usize) -> Self {
        let mut parent: Vec<u32> = (0..items as u32).collect();
        let mut size = vec![1_u32; items];
        for (a, b) in pairs {
            let (mut a, mut b) = (find(&mut parent, a), find(&mut parent, b));
            if a != b {
                if size[a as usize] < size[b as usize] {
                    std::mem::swap(&mut a, &mut b);
                }
                parent[b as usize] = a;
                size[a as usize] += size[b as usize];
            }
        }
        let root = (0..items as u32).map(|item| find(&mut parent, item)).collect();
        // Only at a root it is the size of anything that is whole, and all others are smaller.
        Self { root, largest: size.into_iter().max().unwrap_or(0) as usize }
    }

    /// How many items the largest component has.
    pub(crate) fn largest(&self) -> usize {
        self.largest
    }

    /// The name of an item's component.
    pub(crate) fn root(&self, item: u32) -> u32 {
        self.root[item as usize]
    }
}

/// The root of an item; every other step is made shorter on the way.
fn find(parent: &mut [u32], mut item: u32) -> u32 {
    while parent[item as usize] != item {
        parent[item as usize] = parent[parent[item as usize] as usize];
        item = parent[item as usize];
    }
    item
}
