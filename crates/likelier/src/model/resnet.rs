//! Residual networks of basic blocks: one family, in which depth and width are only numbers.

use serde::{Deserialize, Serialize};

use crate::nn::{Builder, NodeId, Shape};

/// A residual network. Its stem is a 3×3 convolution without pooling, for small images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResNet {
    /// Channels, height and width of an image; rows hold it plane after plane.
    pub image: [usize; 3],
    /// Channels of the stem.
    pub stem: usize,
    /// Blocks and channels of each stage. From the second on, a stage halves height and width.
    pub stages: Vec<(usize, usize)>,
}

impl ResNet {
    /// ResNet-34 with a 3×3 stem: what the paper names.
    pub fn resnet34(image: [usize; 3]) -> Self {
        Self { image, stem: 64, stages: vec![(3, 64), (4, 128), (6, 256), (3, 512)] }
    }

    /// The small ResNet-32 for CIFAR images: three stages of five blocks, 0.47 million weights.
    pub fn resnet32(image: [usize; 3]) -> Self {
        Self { image, stem: 16, stages: vec![(5, 16), (5, 32), (5, 64)] }
    }

    /// How many parameters the network has, or the largest number there is.
    pub(super) fn parameters(&self) -> usize {
        let sum = |parts: &[usize]| parts.iter().fold(0_usize, |sum, part| sum.saturating_add(*part));
        let product = |parts: &[usize]| parts.iter().fold(1_usize, |all, part| all.saturating_mul(*part));
        // A convolution and its norm.
        let layer = |kernel, inputs, outputs| {
            sum(&[product(&[kernel, kernel, inputs, outputs]), product(&[2, outputs])])
        };
        let mut total = layer(3, self.image[0], self.stem);
        let mut inputs = self.stem;
        for (stage, &(blocks, channels)) in self.stages.iter().enumerate() {
            let plain = product(&[2, layer(3, channels, channels)]);
            let shortcut = if stage > 0 || inputs != channels { layer(1, inputs, channels) } else { 0 };
            let first = sum(&[layer(3, inputs, channels), layer(3, channels, channels), shortcut]);
            total = sum(&[total, first, product(&[blocks.saturating_sub(1), plain])]);
            inputs = channels;
        }
        sum(&[total, inputs, 1])
    }

    pub(super) fn builder(&self) -> Builder {
        let [channels, height, width] = self.image;
        let (mut builder, input) = Builder::for_images(Shape { height, width, channels });
        let stem = builder.conv(input, self.stem, 3, 1, 1);
        let mut node = builder.norm(stem, None, true);
        for (stage, &(blocks, channels)) in self.stages.iter().enumerate() {
            for block in 0..blocks {
                let stride = if stage > 0 && block == 0 { 2 } else { 1 };
                node = basic_block(&mut builder, node, channels, stride);
            }
        }
        let side = builder.shape(node).height;
        let pooled = builder.average_pool(node, side, side);
        builder.dense(pooled, 1);
        builder
    }
}

/// relu(norm(conv(relu(norm(conv x)))) + shortcut x).
fn basic_block(builder: &mut Builder, from: NodeId, channels: usize, stride: usize) -> NodeId {
    let first = builder.conv(from, channels, 3, stride, 1);
    let first = builder.norm(first, None, true);
    let second = builder.conv(first, channels, 3, 1, 1);
    let shortcut = if stride == 1 && builder.shape(from).channels == channels {
        from
    } else {
        let projected = builder.conv(from, channels, 1, stride, 0);
        builder.norm(projected, None, false)
    };
    builder.norm(second, Some(shortcut), true)
}
