//! Which model is trained, by its name.

use clap::ValueEnum;
use likelier::model::{Architecture, Mlp, ResNet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ModelKind {
    Linear,
    Mlp,
    Resnet34,
    Resnet32,
}

impl ModelKind {
    /// The model for rows of `width` features; an image is of the given shape, else as square as can be.
    pub(super) fn architecture(
        self,
        width: usize,
        hidden: Option<&[usize]>,
        image: Option<[usize; 3]>,
    ) -> Architecture {
        let image = || image.or(square_image(width)).unwrap_or([1, width.isqrt(), width.isqrt()]);
        match self {
            Self::Linear => Architecture::Linear,
            Self::Mlp => Architecture::Mlp(match hidden {
                Some(hidden) => Mlp { hidden: hidden.to_vec(), ..Mlp::of_the_paper() },
                None => Mlp::of_the_paper(),
            }),
            Self::Resnet34 => Architecture::ResNet(ResNet::resnet34(image())),
            Self::Resnet32 => Architecture::ResNet(ResNet::resnet32(image())),
        }
    }
}

/// Channels, height and width, as in `3,32,32`.
pub(super) fn image_shape(text: &str) -> Result<[usize; 3], String> {
    let numbers: Result<Vec<usize>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let shape = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    shape.ok_or_else(|| "give channels, height and width, such as 3,32,32".into())
}

/// One channel if the numbers make a square, else three if a third of them does.
fn square_image(width: usize) -> Option<[usize; 3]> {
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
