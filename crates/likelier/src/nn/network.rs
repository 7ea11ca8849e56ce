//! A network: layers in the order in which they run, each reading an earlier one's output.
//!
//! Parameters are one flat slice, running statistics ("buffers") another. The gradient of each output
//! lives in one of a few slots that are reused as soon as they are free; which goes where is planned
//! when the network is built.

use std::ops::Range;

use super::conv::Conv;
use super::dense::Dense;
use super::norm::{Norm, NormWork};
use super::plan::{NetworkPlan, Target};
use super::pool::{Pool, PoolKind};
use crate::error::Error;
use crate::numerics::parallel::for_pieces;
use crate::numerics::simd::{fast, kept_if};
use crate::random::{Rng, unit};

/// The shape of one item's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// Numbers in a pixel.
    pub channels: usize,
}

impl Shape {
    /// A plain vector.
    pub fn vector(length: usize) -> Self {
        Self { height: 1, width: 1, channels: length }
    }

    /// Pixels.
    pub fn pixels(&self) -> usize {
        self.height * self.width
    }

    /// Numbers.
    pub fn size(&self) -> usize {
        self.pixels() * self.channels
    }
}

/// The output of a layer of a network being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(usize);

/// The running statistics of batch normalisation, and what is done with them.
pub enum Mode<'a> {
    /// The batch's own statistics are used, and move the running ones.
    Training(&'a mut [f32]),
    /// The running ones are used.
    Inference(&'a [f32]),
}

#[derive(Clone, Debug)]
pub(crate) enum Layer {
    /// What the network is given.
    Input,
    /// Pixels from plane after plane to channels last.
    ChannelsLast,
    Dense(Dense),
    Conv(Conv),
    /// With the node whose output is added before the ReLU.
    Norm(Norm, Option<usize>),
    Relu,
    Pool(Pool),
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) layer: Layer,
    pub(crate) from: usize,
    pub(crate) shape: Shape,
    pub(crate) parameters: Range<usize>,
    pub(crate) buffers: Range<usize>,
}

/// Puts layers together.
#[derive(Clone, Debug)]
pub struct Builder {
    nodes: Vec<Node>,
}

impl Builder {
    /// A network of plain vectors.
    pub fn for_vectors(length: usize) -> (Self, NodeId) {
        Self::starting_with(Shape::vector(length))
    }

    /// A network of images, given plane after plane as image files have them.
    pub fn for_images(shape: Shape) -> (Self, NodeId) {
        let (mut builder, input) = Self::starting_with(shape);
        if shape.channels == 1 {
            return (builder, input);
        }
        let node = builder.push(Layer::ChannelsLast, input, shape, 0, 0);
        (builder, node)
    }

    fn starting_with(shape: Shape) -> (Self, NodeId) {
        let input = Node { layer: Layer::Input, from: 0, shape, parameters: 0..0, buffers: 0..0 };
        (Self { nodes: vec![input] }, NodeId(0))
    }

    fn push(
        &mut self,
        layer: Layer,
        from: NodeId,
        shape: Shape,
        parameters: usize,
        buffers: usize,
    ) -> NodeId {
        let (first, first_buffer) =
            self.nodes.last().map_or((0, 0), |last| (last.parameters.end, last.buffers.end));
        self.nodes.push(Node {
            layer,
            from: from.0,
            shape,
            parameters: first..first + parameters,
            buffers: first_buffer..first_buffer + buffers,
        });
        NodeId(self.nodes.len() - 1)
    }

    /// The shape of a node's output.
    pub fn shape(&self, node: NodeId) -> Shape {
        self.nodes[node.0].shape
    }

    /// A fully connected layer with bias.
    pub fn dense(&mut self, from: NodeId, outputs: usize) -> NodeId {
        let layer = Dense { inputs: self.shape(from).size(), outputs };
        self.push(Layer::Dense(layer), from, Shape::vector(outputs), layer.parameters(), 0)
    }

    /// A convolution without bias.
    pub fn conv(
        &mut self,
        from: NodeId,
        outputs: usize,
        kernel: usize,
        stride: usize,
        padding: usize,
    ) -> NodeId {
        let input = self.shape(from);
        let side = |length: usize| (length + 2 * padding).saturating_sub(kernel) / stride + 1;
        let output = Shape { height: side(input.height), width: side(input.width), channels: outputs };
        let layer = Conv { input, output, kernel, stride, padding };
        self.push(Layer::Conv(layer), from, output, layer.parameters(), 0)
    }

    /// Batch normalisation, then the addition of another node's output, then a ReLU, as wanted.
    pub fn norm(&mut self, from: NodeId, add: Option<NodeId>, relu: bool) -> NodeId {
        let shape = self.shape(from);
        let layer = Norm { channels: shape.channels, relu };
        let channels = shape.channels;
        self.push(Layer::Norm(layer, add.map(|node| node.0)), from, shape, 2 * channels, 2 * channels)
    }

    /// max(0, ·).
    pub fn relu(&mut self, from: NodeId) -> NodeId {
        self.push(Layer::Relu, from, self.shape(from), 0, 0)
    }

    /// The mean of each window; a window of the whole image is global pooling.
    pub fn average_pool(&mut self, from: NodeId, kernel: usize, stride: usize) -> NodeId {
        self.pool(PoolKind::Average, from, kernel, stride)
    }

    /// The largest number of each window.
    pub fn max_pool(&mut self, from: NodeId, kernel: usize, stride: usize) -> NodeId {
        self.pool(PoolKind::Max, from, kernel, stride)
    }

    /// A window is at most the image.
    fn pool(&mut self, kind: PoolKind, from: NodeId, kernel: usize, stride: usize) -> NodeId {
        let input = self.shape(from);
        let kernel = kernel.min(input.height).min(input.width);
        let side = |length: usize| length.saturating_sub(kernel) / stride + 1;
        let output =
            Shape { height: side(input.height), width: side(input.width), channels: input.channels };
        self.push(Layer::Pool(Pool { kind, input, output, kernel, stride }), from, output, 0, 0)
    }

    /// The layers, in the order in which they run.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many parameters there are.
    pub fn parameters(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.parameters.end)
    }

    /// PyTorch's default initial weights: uniform in ±1/√fan-in, and γ = 1, β = 0.
    pub fn initial_parameters(&self, rng: &mut impl Rng) -> Vec<f32> {
        let mut parameters = Vec::new();
        for node in &self.nodes {
            let fan_in = match &node.layer {
                Layer::Dense(dense) => dense.inputs,
                Layer::Conv(conv) => conv.window(),
                Layer::Norm(norm, _) => {
                    parameters.extend(std::iter::repeat_n(1.0, norm.channels));
                    parameters.extend(std::iter::repeat_n(0.0, norm.channels));
                    continue;
                }
                _ => continue,
            };
            let bound = 1.0 / (fan_in as f64).sqrt();
            parameters.extend(node.parameters.clone().map(|_| ((2.0 * unit(rng) - 1.0) * bound) as f32));
        }
        parameters
    }

    /// Running means of 0 and variances of 1.
    pub fn initial_buffers(&self) -> Vec<f32> {
        let mut buffers = Vec::new();
        for node in &self.nodes {
            if let Layer::Norm(norm, _) = &node.layer {
                buffers.extend(std::iter::repeat_n(0.0, norm.channels));
                buffers.extend(std::iter::repeat_n(1.0, norm.channels));
            }
        }
        buffers
    }

    /// Bytes of work space that a network for batches of `rows` rows takes, parameters apart.
    pub fn work_bytes(&self, rows: usize) -> usize {
        let plan = NetworkPlan::of(&self.nodes);
        let outputs: usize = self.nodes.iter().skip(1).map(|node| node.shape.size()).sum();
        let slots: usize = plan.slot_sizes.iter().sum();
        4 * (rows * (outputs + slots) + self.conv_work())
    }

    /// Numbers of work space that the convolutions share.
    fn conv_work(&self) -> usize {
        let work = |node: &Node| match &node.layer {
            Layer::Conv(conv) => conv.work(),
            _ => 0,
        };
        self.nodes.iter().map(work).max().unwrap_or(0)
    }

    /// The network, with work space for batches of up to `rows` rows. Its last node is its score.
    pub fn build(self, rows: usize) -> Network {
        let plan = NetworkPlan::of(&self.nodes);
        let outputs = |node: &Node| match node.layer {
            Layer::Input => Vec::new(),
            _ => vec![0.0; rows * node.shape.size()],
        };
        Network {
            outputs: self.nodes.iter().map(outputs).collect(),
            norm_work: vec![NormWork::default(); self.nodes.len()],
            winners: self
                .nodes
                .iter()
                .map(|node| match &node.layer {
                    Layer::Pool(pool) if pool.kind == PoolKind::Max => vec![0; rows * node.shape.size()],
                    _ => Vec::new(),
                })
                .collect(),
            slots: plan.slot_sizes.iter().map(|size| vec![0.0; rows * size]).collect(),
            conv_work: vec![0.0; self.conv_work()],
            parameters: self.parameters(),
            rows,
            plan,
            nodes: self.nodes,
        }
    }
}

/// A network with its work space. Parameters and buffers are given to each pass.
#[derive(Clone, Debug)]
pub struct Network {
    nodes: Vec<Node>,
    plan: NetworkPlan,
    outputs: Vec<Vec<f32>>,
    norm_work: Vec<NormWork>,
    winners: Vec<Vec<u32>>,
    slots: Vec<Vec<f32>>,
    conv_work: Vec<f32>,
    parameters: usize,
    rows: usize,
}

impl Network {
    /// The largest batch.
    pub fn capacity(&self) -> usize {
        self.rows
    }

    /// Whether each thread may have one: its numbers for a whole batch fit into 16 MiB, and no layer has work space
    /// besides.
    pub(crate) fn is_small(&self) -> bool {
        let numbers: usize = self.outputs.iter().chain(&self.slots).map(Vec::len).sum();
        self.conv_work.is_empty() && 4 * numbers <= 16 << 20
    }

    /// Numbers in an input row.
    pub fn width(&self) -> usize {
        self.nodes[0].shape.size()
    }

    /// Runs a batch through the network. `inputs` holds as many rows as `scores`.
    pub fn forward(
        &mut self,
        parameters: &[f32],
        mut mode: Mode<'_>,
        inputs: &[f32],
        scores: &mut [f32],
    ) -> Result<(), Error> {
        let rows = scores.len();
        self.check(parameters, inputs, rows)?;
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            let (before, from_here) = self.outputs.split_at_mut(at);
            let output_of = |node: usize, size: usize| match node {
                0 => inputs,
                _ => &before[node][..rows * size],
            };
            let x = output_of(node.from, self.nodes[node.from].shape.size());
            let y = &mut from_here[0][..rows * node.shape.size()];
            let weights = &parameters[node.parameters.clone()];
            match &node.layer {
                Layer::Input => {}
                Layer::ChannelsLast => channels_last(node.shape, x, y),
                Layer::Dense(dense) => dense.forward(weights, x, y),
                Layer::Conv(conv) => conv.forward(weights, x, y, &mut self.conv_work),
                Layer::Norm(norm, added) => {
                    let added = added.map(|added| output_of(added, node.shape.size()));
                    let work = &mut self.norm_work[at];
                    match &mut mode {
                        Mode::Training(buffers) => {
                            let buffers = &mut buffers[node.buffers.clone()];
                            norm.forward_training(weights, buffers, work, x, added, y);
                        }
                        Mode::Inference(buffers) => {
                            let buffers = &buffers[node.buffers.clone()];
                            norm.forward_inference(weights, buffers, work, x, added, y);
                        }
                    }
                }
                Layer::Relu => for_pieces(y, PIECE, |piece, y| {
                    let x = &x[piece * PIECE..piece * PIECE + y.len()];
                    fast(|| y.iter_mut().zip(x).for_each(|(y, x)| *y = x.max(0.0)));
                }),
                Layer::Pool(pool) => pool.forward(x, y, &mut self.winners[at]),
            }
        }
        if let Some(last) = self.outputs.last() {
            scores.copy_from_slice(&last[..rows]);
        }
        Ok(())
    }

    /// The derivative by each parameter, from that by each score of the last training pass.
    pub fn backward(
        &mut self,
        parameters: &[f32],
        inputs: &[f32],
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        let rows = score_gradients.len();
        self.check(parameters, inputs, rows)?;
        if let Some(first) = self.plan.steps.first() {
            self.slots[first.slot][..rows].copy_from_slice(score_gradients);
        }
        for step in &self.plan.steps {
            let node = &self.nodes[step.node];
            let input_size = self.nodes[node.from].shape.size();
            let x = match node.from {
                0 => inputs,
                from => &self.outputs[from][..rows * input_size],
            };
            let y = &self.outputs[step.node][..rows * node.shape.size()];
            let weights = &parameters[node.parameters.clone()];
            let gradient = &mut gradient[node.parameters.clone()];
            let mut dy = std::mem::take(&mut self.slots[step.slot]);
            let here = &mut dy[..rows * node.shape.size()];
            match &node.layer {
                Layer::Input | Layer::ChannelsLast => {}
                Layer::Dense(dense) => {
                    let dx = target(&mut self.slots, step.to_input, rows * input_size);
                    dense.backward(weights, x, here, gradient, dx);
                }
                Layer::Conv(conv) => {
                    let dx = target(&mut self.slots, step.to_input, rows * input_size);
                    conv.backward(weights, x, here, gradient, &mut self.conv_work, dx);
                }
                Layer::Norm(norm, _) => {
                    let added = target(&mut self.slots, step.to_added, rows * node.shape.size());
                    norm.backward(weights, &mut self.norm_work[step.node], (x, y), here, gradient, added);
                    pass_on(&mut self.slots, step.to_input, here);
                }
                Layer::Relu => {
                    for_pieces(here, PIECE, |piece, dy| {
                        let y = &y[piece * PIECE..piece * PIECE + dy.len()];
                        fast(|| {
                            for (dy, y) in dy.iter_mut().zip(y) {
                                *dy = kept_if(*y > 0.0, *dy);
                            }
                        });
                    });
                    pass_on(&mut self.slots, step.to_input, here);
                }
                Layer::Pool(pool) => {
                    if let Some((dx, accumulate)) =
                        target(&mut self.slots, step.to_input, rows * input_size)
                    {
                        pool.backward(here, &self.winners[step.node], dx, accumulate);
                    }
                }
            }
            self.slots[step.slot] = dy;
        }
        Ok(())
    }

    fn check(&self, parameters: &[f32], inputs: &[f32], rows: usize) -> Result<(), Error> {
        if rows > self.rows {
            return Err(Error::mismatch("rows", rows, "rows of work space", self.rows));
        }
        if inputs.len() != rows * self.width() {
            return Err(Error::mismatch(
                "input numbers",
                inputs.len(),
                "numbers that the rows need",
                rows * self.width(),
            ));
        }
        if parameters.len() != self.parameters {
            return Err(Error::mismatch(
                "parameters",
                parameters.len(),
                "parameters of the network",
                self.parameters,
            ));
        }
        Ok(())
    }
}

/// Numbers that a piece of an elementwise layer takes.
const PIECE: usize = 16_384;

/// The slot that a gradient goes to, and whether it is added to what is there.
fn target(slots: &mut [Vec<f32>], target: Target, size: usize) -> Option<(&mut [f32], bool)> {
    match target {
        Target::NotNeeded | Target::InPlace => None,
        Target::Overwrite(slot) => Some((&mut slots[slot][..size], false)),
        Target::Accumulate(slot) => Some((&mut slots[slot][..size], true)),
    }
}

/// Hands an elementwise layer's gradient on where it could not stay in place.
fn pass_on(slots: &mut [Vec<f32>], to: Target, gradient: &[f32]) {
    if let Some((dx, accumulate)) = target(slots, to, gradient.len()) {
        for_pieces(dx, PIECE, |piece, dx| {
            let from = &gradient[piece * PIECE..piece * PIECE + dx.len()];
            if accumulate {
                fast(|| dx.iter_mut().zip(from).for_each(|(to, from)| *to += from));
            } else {
                dx.copy_from_slice(from);
            }
        });
    }
}

fn channels_last(shape: Shape, x: &[f32], y: &mut [f32]) {
    let pixels = shape.pixels();
    for_pieces(y, shape.size(), |image, y| {
        let x = &x[image * shape.size()..(image + 1) * shape.size()];
        for (pixel, y) in y.chunks_exact_mut(shape.channels).enumerate() {
            for (channel, y) in y.iter_mut().enumerate() {
                *y = x[channel * pixels + pixel];
            }
        }
    });
}
