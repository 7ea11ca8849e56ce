//! Which model.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Linear, Mlp, Model, ResNet, Weights};
use crate::error::Error;
use crate::nn::Builder;
use crate::random::Rng;

/// A kind of model with its shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// f(x) = ⟨w, x⟩ + b.
    #[default]
    Linear,
    /// Fully connected layers.
    Mlp(Mlp),
    /// Residual convolutions, for images.
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
            Some(builder) => Box::new(builder.build(rows)),
        })
    }

    /// Bytes that training with batches of `rows` rows takes, data apart: work space, and five times
    /// the parameters (themselves, gradient, the optimiser's two, and a teacher).
    pub fn training_bytes(&self, width: usize, rows: usize) -> Result<usize, Error> {
        Ok(match self.builder(width)? {
            None => 4 * (width * rows + 5 * (width + 1)),
            Some(builder) => builder.work_bytes(rows) + 4 * (width * rows + 5 * builder.parameters()),
        })
    }

    /// The network, if it is one.
    fn builder(&self, width: usize) -> Result<Option<Builder>, Error> {
        match self {
            Self::Linear => Ok(None),
            Self::Mlp(mlp) => Ok(Some(mlp.builder(width))),
            Self::ResNet(resnet) => {
                let [channels, height, image_width] = resnet.image;
                if channels * height * image_width == width {
                    Ok(Some(resnet.builder()))
                } else {
                    Err(Error::ImageShape { image: resnet.image, features: width })
                }
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
