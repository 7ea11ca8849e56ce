//! Where gradients live during the backward pass: a few slots, each reused as soon as it is free.

use super::network::{Layer, Node};

/// Where the gradient of each node's output lives.
#[derive(Clone, Debug, Default)]
pub(super) struct NetworkPlan {
    pub(super) steps: Vec<PlanStep>,
    /// Numbers for one row.
    pub(super) slot_sizes: Vec<usize>,
}

/// The backward step of one node, in the order of execution.
#[derive(Clone, Debug)]
pub(super) struct PlanStep {
    pub(super) node: usize,
    pub(super) slot: usize,
    pub(super) to_input: Target,
    pub(super) to_added: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// No parameters lie behind it.
    NotNeeded,
    /// The input's gradient takes the place of the output's.
    InPlace,
    Overwrite(usize),
    Accumulate(usize),
}

impl NetworkPlan {
    pub(super) fn of(nodes: &[Node]) -> Self {
        let mut needed = vec![false; nodes.len()];
        for (at, node) in nodes.iter().enumerate().skip(1) {
            needed[at] = needed[node.from] || !node.parameters.is_empty();
        }
        let mut plan = Self::default();
        let mut slot_of: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut free: Vec<usize> = Vec::new();
        let take = |plan: &mut Self, free: &mut Vec<usize>, size: usize| {
            let slot = free.pop().unwrap_or(plan.slot_sizes.len());
            if slot == plan.slot_sizes.len() {
                plan.slot_sizes.push(0);
            }
            plan.slot_sizes[slot] = plan.slot_sizes[slot].max(size);
            slot
        };
        if let Some(last) = nodes.last() {
            slot_of[nodes.len() - 1] = Some(take(&mut plan, &mut free, last.shape.size()));
        }
        for (at, node) in nodes.iter().enumerate().rev() {
            let Some(slot) = slot_of[at].filter(|_| needed[at]) else { continue };
            let added = match &node.layer {
                Layer::Norm(_, added) => *added,
                _ => None,
            };
            let mut target = |plan: &mut Self, to: Option<usize>, in_place: bool| match to {
                Some(to) if needed[to] => match slot_of[to] {
                    Some(other) => Target::Accumulate(other),
                    None if in_place => {
                        slot_of[to] = Some(slot);
                        Target::InPlace
                    }
                    None => {
                        let new = take(plan, &mut free, nodes[to].shape.size());
                        slot_of[to] = Some(new);
                        Target::Overwrite(new)
                    }
                },
                _ => Target::NotNeeded,
            };
            let elementwise = matches!(node.layer, Layer::Norm(..) | Layer::Relu);
            let to_added = target(&mut plan, added, false);
            let to_input = target(&mut plan, Some(node.from), elementwise);
            plan.steps.push(PlanStep { node: at, slot, to_input, to_added });
            if to_input != Target::InPlace {
                free.push(slot);
            }
        }
        plan
    }
}
