//! Images that are moved while a network learns: what an image shows is the same two pixels further to the right.
//!
//! Each time that a row is trained on, it is moved by a number of pixels between −p and p in either direction; what comes
//! in from outside is like the edge. Teachers, held-out comparisons and everything that is scored see images as they are.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::random::{Rng, below};

/// How far images are moved while a network learns from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageMoves {
    /// Channels, height and width of an image; rows hold it plane after plane.
    pub image: [usize; 3],
    /// Pixels in either direction, at the most.
    pub pixels: usize,
}

impl ImageMoves {
    /// Refuses images that are not what rows of `width` features hold, and moves that leave nothing of them.
    pub(crate) fn check(self, width: usize) -> Result<(), Error> {
        let [channels, height, image_width] = self.image;
        if channels.checked_mul(height).and_then(|pixels| pixels.checked_mul(image_width)) != Some(width) {
            return Err(Error::NotImages { image: Some(self.image), features: width });
        }
        if self.pixels == 0 || self.pixels > height.min(image_width) / 2 {
            return Err(Error::Setting {
                name: "the pixels that images are moved by",
                value: self.pixels.to_string(),
                allowed: "at least 1, and at most half of the height and the width of the images",
            });
        }
        Ok(())
    }

    /// Draws how far down and to the right each of `rows` rows is moved.
    pub(super) fn draw(self, rows: usize, rng: &mut impl Rng, into: &mut Vec<[i32; 2]>) {
        let steps = 2 * self.pixels + 1;
        let mut one = || (below(rng, steps).cast_signed() - self.pixels.cast_signed()) as i32;
        into.clear();
        into.extend((0..rows).map(|_| [one(), one()]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, epoch_stream};

    #[test]
    fn all_moves_up_to_so_many_pixels_are_equally_likely() {
        let moves = ImageMoves { image: [1, 8, 8], pixels: 2 };
        let mut drawn = Vec::new();
        moves.draw(50_000, &mut epoch_stream(1, Purpose::Moves, 1), &mut drawn);
        let mut times = [[0_u32; 5]; 5];
        for [down, right] in drawn {
            times[(down + 2) as usize][(right + 2) as usize] += 1;
        }
        // 2,000 are expected of each, with a deviation of 44.
        assert!(times.as_flattened().iter().all(|times| times.abs_diff(2000) < 220), "{times:?}");
    }

    #[test]
    fn images_that_rows_do_not_hold_are_refused() {
        let moves = |image, pixels| ImageMoves { image, pixels }.check(64);
        assert!(moves([1, 8, 8], 1).is_ok() && moves([4, 4, 4], 2).is_ok());
        assert!(matches!(moves([1, 8, 9], 1), Err(Error::NotImages { .. })));
        assert!(matches!(moves([usize::MAX, 2, 2], 1), Err(Error::NotImages { .. })));
        for pixels in [0, 5, usize::MAX] {
            assert!(matches!(moves([1, 8, 8], pixels), Err(Error::Setting { .. })), "{pixels}");
        }
    }
}
