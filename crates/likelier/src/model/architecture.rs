//! Which model.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Linear, Mlp, Model, NetworkModel, ResNet, Weights};
use crate::error::Error;
use crate::nn::Builder;
use crate::random::Rng;

/// A kind of model with its shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Architecture {
    /// f(x) = ⟨w, x⟩ + b.
    #[default]
    Linear,
    /// Fully connected layers.
    Mlp(Mlp),
    /// Residual convolutions, for images.
    #[serde(rename = "resnet")]
    ResNet(ResNet),
}

impl Architecture {
    /// Initial weights for rows of `width` features.
    pub fn initial_weights(&self, width: usize, rng: &mut impl Rng) -> Result<Weights, Error> {
        Ok(match self.builder(width)? {
            None => Weights { parameters: Linear::initial_parameters(width, rng), buffers: Vec::new() },
            Some(builder) => {
                Weights { parameters: builder.initial_parameters(rng), buffers: builder.initial_buffers() }
            }
        })
    }

    /// The model, with work space for batches of up to `rows` rows of `width` features.
    pub fn build(&self, width: usize, rows: usize) -> Result<Box<dyn Model>, Error> {
        Ok(match self.builder(width)? {
            None => Box::new(Linear::new(width)),
            Some(builder) => Box::new(NetworkModel::from(builder.build(rows))),
        })
    }

    /// How many parameters it has on rows of `width` features, worked out without building it; the largest
    /// number there is where they are more.
    pub fn parameters(&self, width: usize) -> usize {
        match self {
            Self::Linear => width.saturating_add(1),
            Self::Mlp(mlp) => mlp.parameters(width),
            Self::ResNet(resnet) => resnet.parameters(),
        }
    }

    /// Every model as a network: a linear one is a single layer.
    pub(super) fn network(&self, width: usize) -> Result<Builder, Error> {
        Ok(self.builder(width)?.unwrap_or_else(|| {
            let (mut builder, input) = Builder::for_vectors(width);
            builder.dense(input, 1);
            builder
        }))
    }

    /// Rows to score at a time: 512, or as many as fit into 256 MiB of work space.
    pub(super) fn rows_at_once(&self, width: usize) -> Result<usize, Error> {
        let Some(builder) = self.builder(width)? else { return Ok(512) };
        let of_a_row = builder.work_bytes(2).saturating_sub(builder.work_bytes(1)).max(1);
        Ok(((256 << 20) / of_a_row).clamp(1, 512))
    }

    /// Bytes that training with batches of `rows` rows takes, data apart: work space, and five times
    /// the parameters (themselves, gradient, the optimiser's two, and a teacher).
    pub fn training_bytes(&self, width: usize, rows: usize) -> Result<usize, Error> {
        Ok(match self.builder(width)? {
            None => 4 * (width * rows + 5 * (width + 1)),
            Some(builder) => builder.work_bytes(rows) + 4 * (width * rows + 5 * builder.parameters()),
        })
    }

    /// The network, if it is one; refuses shapes that make no network.
    fn builder(&self, width: usize) -> Result<Option<Builder>, Error> {
        let empty = |what| Error::Setting { name: what, value: "0".into(), allowed: "at least 1" };
        match self {
            Self::Linear => Ok(None),
            Self::Mlp(mlp) if mlp.hidden.contains(&0) => Err(empty("the number of units of a layer")),
            Self::Mlp(mlp) => Ok(Some(mlp.builder(width))),
            Self::ResNet(resnet) => {
                let [channels, height, image_width] = resnet.image;
                let numbers = channels.saturating_mul(height).saturating_mul(image_width);
                if height != image_width || numbers != width {
                    return Err(Error::ImageShape { image: resnet.image, features: width });
                }
                let numbers = resnet.stages.iter().flat_map(|(blocks, channels)| [blocks, channels]);
                if resnet.stages.is_empty() || numbers.chain([&resnet.stem]).any(|number| *number == 0) {
                    return Err(empty("the number of stages, blocks and channels"));
                }
                Ok(Some(resnet.builder()))
            }
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => f.write_str("linear"),
            Self::Mlp(mlp) => write!(f, "mlp {:?}", mlp.hidden),
            Self::ResNet(resnet) => write!(f, "resnet {:?}", resnet.stages),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_scored_so_many_at_a_time_that_the_work_space_stays_bounded() {
        assert_eq!(Architecture::Linear.rows_at_once(10).unwrap(), 512);
        assert_eq!(Architecture::Mlp(Mlp::of_the_paper()).rows_at_once(784).unwrap(), 512);
        let resnet = Architecture::ResNet(ResNet::resnet34([3, 32, 32]));
        let rows = resnet.rows_at_once(3072).unwrap();
        let bytes = |rows: usize| {
            resnet.builder(3072).unwrap().unwrap().work_bytes(rows)
                - resnet.builder(3072).unwrap().unwrap().work_bytes(0)
        };
        assert!(bytes(rows) <= 256 << 20 && bytes(rows + 1) > 256 << 20, "{rows} rows");
    }
}
