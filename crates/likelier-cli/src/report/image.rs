//! Rows that are images, as PNG files inside the page.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use likelier::{Error, Rows};

/// Channels (1 or 3, one after the other), height and width of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageShape([usize; 3]);

impl ImageShape {
    /// The shape that rows have: the given one, or that of MNIST and CIFAR-10 if so many numbers are there.
    pub(crate) fn of(rows: &Rows, given: Option<[usize; 3]>) -> Result<Option<Self>, Error> {
        match (given, rows.width()) {
            (Some([channels, height, width]), numbers) => {
                let needed = channels.saturating_mul(height).saturating_mul(width);
                if needed != numbers || needed == 0 {
                    return Err(Error::Setting {
                        name: "--image",
                        value: format!("{channels},{height},{width} with {numbers} features"),
                        allowed: "channels, height and width whose product is the number of features",
                    });
                }
                Ok(matches!(channels, 1 | 3).then_some(Self([channels, height, width])))
            }
            (_, 784) => Ok(Some(Self([1, 28, 28]))),
            (_, 3072) => Ok(Some(Self([3, 32, 32]))),
            _ => Ok(None),
        }
    }

    /// A row as a PNG file. Bytes are shown as they are, other numbers from the row's smallest to its largest.
    pub(super) fn png(self, rows: &Rows, row: usize) -> std::io::Result<Vec<u8>> {
        let mut numbers = vec![0.0_f32; rows.width()];
        rows.copy_row(row, &mut numbers);
        let largest = numbers.iter().copied().fold(f32::MIN, f32::max);
        let smallest = numbers.iter().copied().fold(f32::MAX, f32::min);
        let is_byte = |value: f32| (0.0..=255.0).contains(&value) && value.fract() == 0.0;
        let (low, span) = if largest > 1.0 && numbers.iter().all(|value| is_byte(*value)) {
            // Few levels of grey, as Optdigits' 0 to 16, would be black in black.
            (0.0, if largest > 64.0 { 255.0 } else { largest })
        } else {
            (smallest, (largest - smallest).max(f32::MIN_POSITIVE))
        };
        let [channels, height, width] = self.0;
        let mut pixels = Vec::with_capacity(height * (channels * width + 1));
        for y in 0..height {
            pixels.push(0);
            for x in 0..width {
                for channel in 0..channels {
                    let value = numbers[(channel * height + y) * width + x];
                    pixels.push(((value - low) / span * 255.0).round().clamp(0.0, 255.0) as u8);
                }
            }
        }
        encode(width as u32, height as u32, channels == 3, &pixels)
    }
}

/// A PNG file of 8-bit grey or red, green, blue; each line begins with its filter, 0.
fn encode(width: u32, height: u32, colour: bool, lines: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, if colour { 2 } else { 0 }, 0, 0, 0]);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(lines)?;
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in [(b"IHDR", header), (b"IDAT", packed.finish()?), (b"IEND", Vec::new())] {
        let mut sum = Crc::new();
        sum.update(kind);
        sum.update(&content);
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(kind);
        file.extend(content);
        file.extend(sum.sum().to_be_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn an_image_is_a_png_file_with_these_pixels() {
        // Three channels of 1 × 2 pixels: (10, 30, 50) and (20, 40, 255).
        let rows = Rows::from_bytes(vec![10, 20, 30, 40, 50, 255], 6).unwrap();
        let png = ImageShape::of(&rows, Some([3, 1, 2])).unwrap().unwrap().png(&rows, 0).unwrap();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&png[8..33][..21], b"\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0");
        // The checksum of an empty IEND is known from the standard.
        assert_eq!(&png[png.len() - 12..], b"\0\0\0\0IEND\xae\x42\x60\x82");
        let length = u32::from_be_bytes(png[33..37].try_into().unwrap()) as usize;
        let mut pixels = Vec::new();
        flate2::read::ZlibDecoder::new(&png[41..41 + length])
            .read_to_end(&mut pixels)
            .unwrap();
        assert_eq!(pixels, [0, 10, 30, 50, 20, 40, 255]);
    }

    #[test]
    fn numbers_are_stretched_from_black_to_white() {
        let rows = Rows::from_numbers(vec![-1.0, 0.0, 0.5, 3.0], 4).unwrap();
        let png = ImageShape([1, 2, 2]).png(&rows, 0).unwrap();
        let mut pixels = Vec::new();
        flate2::read::ZlibDecoder::new(&png[41..]).read_to_end(&mut pixels).unwrap();
        assert_eq!(pixels, [0, 0, 64, 0, 96, 255]);
        let flat = Rows::from_numbers(vec![2.5; 4], 4).unwrap();
        assert!(ImageShape([1, 2, 2]).png(&flat, 0).is_ok());
    }

    #[test]
    fn rows_are_images_if_their_shape_says_so() {
        let rows = |width: usize| Rows::from_bytes(vec![0; width], width).unwrap();
        assert_eq!(ImageShape::of(&rows(784), None).unwrap(), Some(ImageShape([1, 28, 28])));
        assert_eq!(ImageShape::of(&rows(3072), None).unwrap(), Some(ImageShape([3, 32, 32])));
        assert_eq!(ImageShape::of(&rows(64), None).unwrap(), None);
        assert_eq!(ImageShape::of(&rows(64), Some([1, 8, 8])).unwrap(), Some(ImageShape([1, 8, 8])));
        assert!(ImageShape::of(&rows(62), Some([1, 8, 8])).is_err());
        // Two channels have no colours.
        assert_eq!(ImageShape::of(&rows(8), Some([2, 2, 2])).unwrap(), None);
    }
}
