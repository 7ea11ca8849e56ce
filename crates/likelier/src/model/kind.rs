//! Which model, by its name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Architecture, Mlp, MlpNorm, ResNet};
use crate::error::Error;

/// A kind of model; with the width of rows it becomes an [`Architecture`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// A weight for each feature.
    #[default]
    Linear,
    /// A multi-layer perceptron with batch normalisation in each layer.
    Mlp,
    /// The same with batch normalisation of the features only.
    MlpInputNorm,
    /// The same without batch normalisation.
    MlpNoNorm,
    /// The small residual network for images.
    Resnet32,
    /// The large one.
    Resnet34,
}

impl ModelKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Linear, Self::Mlp, Self::MlpInputNorm, Self::MlpNoNorm, Self::Resnet32, Self::Resnet34];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Mlp => "mlp",
            Self::MlpInputNorm => "mlp-input-norm",
            Self::MlpNoNorm => "mlp-no-norm",
            Self::Resnet32 => "resnet32",
            Self::Resnet34 => "resnet34",
        }
    }

    /// The model for rows of `width` features; hidden layers are those of the paper and images as square as
    /// can be, unless they are given.
    pub fn architecture(
        self,
        width: usize,
        hidden: Option<&[usize]>,
        image: Option<[usize; 3]>,
    ) -> Architecture {
        let image = || image.or(square_image(width)).unwrap_or([1, width.isqrt(), width.isqrt()]);
        let mlp = |norm| {
            let usual = Mlp { norm, ..Mlp::of_the_paper() };
            Architecture::Mlp(match hidden {
                Some(hidden) => Mlp { hidden: hidden.to_vec(), ..usual },
                None => usual,
            })
        };
        match self {
            Self::Linear => Architecture::Linear,
            Self::Mlp => mlp(MlpNorm::EachLayer),
            Self::MlpInputNorm => mlp(MlpNorm::Input),
            Self::MlpNoNorm => mlp(MlpNorm::None),
            Self::Resnet32 => Architecture::ResNet(ResNet::resnet32(image())),
            Self::Resnet34 => Architecture::ResNet(ResNet::resnet34(image())),
        }
    }
}

/// Channels, height and width of a square image of so many numbers: one channel if they make a square, else three if a
/// third of them does.
#[doc(hidden)]
pub fn square_image(width: usize) -> Option<[usize; 3]> {
    let side = |pixels: usize| {
        let side = pixels.isqrt();
        (side * side == pixels).then_some(side)
    };
    match (side(width), side(width / 3)) {
        (Some(side), _) => Some([1, side, side]),
        (None, Some(side)) if width.is_multiple_of(3) => Some([3, side, side]),
        (None, _) => None,
    }
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ModelKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("model", text, &Self::ALL, |kind| vec![kind.name()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_name() {
        for kind in ModelKind::ALL {
            assert_eq!(kind.name().parse::<ModelKind>().unwrap(), kind);
        }
    }

    #[test]
    fn images_are_taken_for_square_with_one_channel_or_three() {
        assert_eq!(square_image(784), Some([1, 28, 28]));
        assert_eq!(square_image(3072), Some([3, 32, 32]));
        assert_eq!(square_image(10), None);
    }
}
