//! Circles of "likelier": strongly connected components by Tarjan's algorithm, without recursion.

/// The order of an item that was not reached yet.
const UNSEEN: u32 = u32::MAX;

/// The sizes of all groups of two and more items that are likelier than each other in a circle.
pub(super) fn knots(items: usize, edges: &[(u32, u32)]) -> Vec<usize> {
    let graph = Adjacency::new(items, edges);
    // The order in which items were reached, and the earliest item on the stack that each one leads back to.
    let (mut order, mut back) = (vec![UNSEEN; items], vec![0_u32; items]);
    let mut on_stack = vec![false; items];
    let (mut stack, mut path) = (Vec::new(), Vec::<(u32, usize)>::new());
    let mut reached = 0;
    let mut sizes = Vec::new();
    for start in 0..items as u32 {
        if order[start as usize] != UNSEEN {
            continue;
        }
        path.push((start, 0));
        while let Some((item, next)) = path.last_mut() {
            let at = *item as usize;
            if *next == 0 {
                order[at] = reached;
                back[at] = reached;
                reached += 1;
                stack.push(*item);
                on_stack[at] = true;
            }
            if let Some(&to) = graph.from(at).get(*next) {
                *next += 1;
                let to = to as usize;
                if order[to] == UNSEEN {
                    path.push((to as u32, 0));
                } else if on_stack[to] {
                    back[at] = back[at].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                back[*before as usize] = back[*before as usize].min(back[at]);
            }
            if back[at] == order[at] {
                let mut size = 0;
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    size += 1;
                    if member as usize == at {
                        break;
                    }
                }
                if size > 1 {
                    sizes.push(size);
                }
            }
        }
    }
    sizes
}

/// Which items each item was likelier than, one list after another.
struct Adjacency {
    starts: Vec<usize>,
    to: Vec<u32>,
}

impl Adjacency {
    fn new(items: usize, edges: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; items + 1];
        for (from, _) in edges {
            starts[*from as usize + 1] += 1;
        }
        for at in 0..items {
            starts[at + 1] += starts[at];
        }
        let (mut next, mut to) = (starts.clone(), vec![0; edges.len()]);
        for (from, target) in edges {
            to[next[*from as usize]] = *target;
            next[*from as usize] += 1;
        }
        Self { starts, to }
    }

    fn from(&self, item: usize) -> &[u32] {
        &self.to[self.starts[item]..self.starts[item + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By definition: two items share a knot when each leads to the other.
    fn by_definition(items: usize, edges: &[(u32, u32)]) -> Vec<usize> {
        let mut leads = vec![vec![false; items]; items];
        for (a, b) in edges {
            leads[*a as usize][*b as usize] = true;
        }
        for through in 0..items {
            for from in 0..items {
                for to in 0..items {
                    leads[from][to] |= leads[from][through] && leads[through][to];
                }
            }
        }
        let mut sizes = Vec::new();
        for item in 0..items {
            let members: Vec<usize> = (0..items)
                .filter(|other| *other == item || leads[item][*other] && leads[*other][item])
                .collect();
            if members.len() > 1 && members[0] == item {
                sizes.push(members.len());
            }
        }
        sizes
    }

    proptest! {
        #[test]
        fn knots_are_those_of_the_definition(edges in prop::collection::vec((0..9_u32, 0..9_u32), 0..20)) {
            let (mut found, mut expected) = (knots(9, &edges), by_definition(9, &edges));
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_very_long_circle_needs_no_recursion() {
        let count = 300_000;
        let circle: Vec<(u32, u32)> = (0..count).map(|k| (k, (k + 1) % count)).collect();
        assert_eq!(knots(count as usize, &circle), [count as usize]);
        assert!(knots(count as usize, &circle[1..]).is_empty());
    }
}
