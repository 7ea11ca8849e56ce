//! What a model learned, taken apart: the numbers of each layer as tensors with names.
//!
//! Layers that learn are counted from 0 in the order in which they run. Layer k has
//!
//! | layer | tensors |
//! |---|---|
//! | fully connected | `layers.k.dense.weight` (inputs × outputs), `layers.k.dense.bias` (outputs) |
//! | convolution | `layers.k.conv.weight` (kernel row × kernel column × inputs × outputs) |
//! | batch norm | `layers.k.norm.scale` (γ), `.shift` (β), `.running_mean`, `.running_variance` (channels) |
//!
//! The last number of a shape runs fastest. In a block with a shortcut layer the order is convolution,
//! norm, convolution, shortcut convolution, shortcut norm, norm.

use std::ops::Range;

use super::Weights;
use crate::nn::{Builder, Layer, Node};

/// A named part of the weights.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) part: Part,
}

/// Where the numbers of a tensor are.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Parameters(Range<usize>),
    Buffers(Range<usize>),
}

impl Tensor {
    /// Its numbers.
    pub(super) fn of<'w>(&self, weights: &'w Weights) -> &'w [f32] {
        match &self.part {
            Part::Parameters(range) => &weights.parameters[range.clone()],
            Part::Buffers(range) => &weights.buffers[range.clone()],
        }
    }
}

/// The layers of a network, each with its tensors, which lie one after the other in the weights.
pub(super) fn layers(network: &Builder) -> Vec<(&Node, Vec<Tensor>)> {
    let mut learning = 0;
    let with_tensors = |node| {
        let tensors = tensors(node, learning);
        learning += usize::from(!tensors.is_empty());
        (node, tensors)
    };
    network.nodes().iter().map(with_tensors).collect()
}

fn tensors(node: &Node, layer: usize) -> Vec<Tensor> {
    let (mut parameters, mut buffers) = (node.parameters.start, node.buffers.start);
    let mut parameter = |name: &str, shape: &[usize]| {
        let first = parameters;
        parameters += shape.iter().product::<usize>();
        let part = Part::Parameters(first..parameters);
        Tensor { name: format!("layers.{layer}.{name}"), shape: shape.to_vec(), part }
    };
    match &node.layer {
        Layer::Dense(dense) => vec![
            parameter("dense.weight", &[dense.inputs, dense.outputs]),
            parameter("dense.bias", &[dense.outputs]),
        ],
        Layer::Conv(conv) => {
            let shape = [conv.kernel, conv.kernel, conv.input.channels, conv.output.channels];
            vec![parameter("conv.weight", &shape)]
        }
        Layer::Norm(norm, _) => {
            let shape = [norm.channels];
            let mut buffer = |name: &str| {
                let first = buffers;
                buffers += norm.channels;
                let part = Part::Buffers(first..buffers);
                Tensor { name: format!("layers.{layer}.{name}"), shape: shape.to_vec(), part }
            };
            vec![
                parameter("norm.scale", &shape),
                parameter("norm.shift", &shape),
                buffer("norm.running_mean"),
                buffer("norm.running_variance"),
            ]
        }
        Layer::Input | Layer::ChannelsLast | Layer::Relu | Layer::Pool(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Architecture, Mlp, MlpNorm, ResNet};
    use crate::random::{Purpose, stream};

    #[test]
    fn the_tensors_are_all_the_weights_and_their_number_is_known_beforehand() {
        let mlp = |hidden: &[usize], norm| Architecture::Mlp(Mlp { hidden: hidden.to_vec(), norm });
        let resnet = |channels, stem, stages: &[(usize, usize)]| {
            let stages = stages.to_vec();
            Architecture::ResNet(ResNet { image: [channels, 6, 6], stem, stages })
        };
        for (architecture, width) in [
            (Architecture::Linear, 7),
            (mlp(&[5, 4, 3], MlpNorm::EachLayer), 7),
            (mlp(&[5, 4], MlpNorm::Input), 7),
            (mlp(&[5], MlpNorm::None), 7),
            (mlp(&[], MlpNorm::Input), 7),
            (resnet(1, 4, &[(2, 4), (3, 6)]), 36),
            (resnet(3, 4, &[(1, 5), (2, 5), (1, 2)]), 108),
        ] {
            let weights = architecture.initial_weights(width, &mut stream(1, Purpose::Weights)).unwrap();
            let network = architecture.network(width).unwrap();
            let (mut parameters, mut buffers) = (0, 0);
            for tensor in layers(&network).iter().flat_map(|(_, tensors)| tensors) {
                let end = match &tensor.part {
                    Part::Parameters(range) => (&mut parameters, range),
                    Part::Buffers(range) => (&mut buffers, range),
                };
                assert_eq!(*end.0, end.1.start, "{}", tensor.name);
                *end.0 = end.1.end;
                assert_eq!(tensor.of(&weights).len(), tensor.shape.iter().product::<usize>());
            }
            assert_eq!((parameters, buffers), (weights.parameters.len(), weights.buffers.len()));
            assert_eq!(architecture.parameters(width), parameters, "{architecture}");
        }
    }

    #[test]
    fn a_number_of_parameters_beyond_all_numbers_is_no_overflow() {
        let huge = usize::MAX / 2;
        let mlp = Architecture::Mlp(Mlp { hidden: vec![huge, huge], norm: MlpNorm::EachLayer });
        assert_eq!(mlp.parameters(huge), usize::MAX);
        let resnet = ResNet { image: [huge; 3], stem: huge, stages: vec![(huge, 1), (1, huge)] };
        assert_eq!(Architecture::ResNet(resnet.clone()).parameters(1), usize::MAX);
        assert!(Architecture::ResNet(resnet).build(5, 1).is_err());
    }
}
