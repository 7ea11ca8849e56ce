//! A folder of PNG and JPEG files: one image an item, its file name the id, its pixels the features, a byte each.
//!
//! Images are turned as their camera says, laid on white where they are transparent, and stretched to a square. Channels
//! come one after the other, as networks take them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use likelier::data::Values;
use rayon::prelude::*;

use super::{Chunk, Columns, Picked, TableReader};
use crate::error::TableError;
use crate::problem::FormatProblem;

/// What images are brought to if nothing is said: three colours, 32 × 32.
const USUAL: [usize; 3] = [3, 32, 32];
/// Images that are decoded together.
const TOGETHER: usize = 256;
/// Wider or higher images are refused before they are decoded.
const MAX_SIDE: u32 = 20_000;
/// Other images that people have, by the ends of their names.
const UNREAD: [&str; 8] = ["gif", "webp", "avif", "bmp", "tif", "tiff", "heic", "svg"];

/// An opened folder.
pub(super) struct ImageFolder {
    folder: PathBuf,
    names: Vec<String>,
    columns: Columns,
    shape: [usize; 3],
    selection: Picked,
    next: usize,
}

impl ImageFolder {
    pub(super) fn open(folder: &Path, shape: Option<[usize; 3]>) -> Result<Self, TableError> {
        let shape = shape.unwrap_or(USUAL);
        let [channels, height, width] = shape;
        if ![1, 3].contains(&channels) || height != width || !(1..=512).contains(&height) {
            return Err(TableError::setting(
                "the size of images",
                format!("{channels},{height},{width}"),
                "1 or 3 channels and a square of at most 512 pixels a side, such as 3,32,32",
            ));
        }
        let fail = |error| TableError::file(folder, error);
        let (mut names, mut unread) = (Vec::new(), Vec::new());
        for entry in std::fs::read_dir(folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name();
            let end = Path::new(&name).extension().map(|end| end.to_string_lossy().to_lowercase());
            let Some(end) = end.filter(|_| entry.path().is_file()) else { continue };
            let Some(name) = name.to_str() else {
                return Err(TableError::format(folder, FormatProblem::ImageName));
            };
            match &end[..] {
                "png" | "jpg" | "jpeg" => names.push(name.to_owned()),
                end if UNREAD.contains(&end) => unread.push(name.to_owned()),
                _ => {}
            }
        }
        names.sort();
        unread.sort();
        if let Some(first) = unread.first() {
            return Err(TableError::format(&folder.join(first), FormatProblem::OtherImage));
        }
        if names.is_empty() {
            return Err(TableError::format(folder, FormatProblem::NoImages));
        }
        let pixels = (0..channels * height * width).map(|at| format!("pixel[{at}]"));
        let columns = Columns::Named(["id".to_owned()].into_iter().chain(pixels).collect());
        Ok(Self { folder: folder.to_owned(), names, columns, shape, selection: Picked::default(), next: 0 })
    }
}

impl TableReader for ImageFolder {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn select(&mut self, selection: Picked) -> Result<(), TableError> {
        if let Some(column) = selection.texts.iter().find(|column| **column != 0) {
            let name = format!("'{}' as text", self.columns.name(*column));
            return Err(TableError::setting("a column of a folder of images", name, "a number"));
        }
        self.selection = selection;
        Ok(())
    }

    fn store(&self) -> Values {
        Values::Bytes(Vec::new())
    }

    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError> {
        let names = &self.names[self.next..self.names.len().min(self.next + TOGETHER)];
        let decoded: Vec<Result<Vec<u8>, TableError>> = names
            .par_iter()
            .map(|name| {
                let path = self.folder.join(name);
                pixels(&path, self.shape)
            })
            .collect();
        let Values::Bytes(cells) = &mut into.cells else { return Ok(false) };
        for image in decoded {
            let (image, start) = (image?, cells.len());
            cells.resize(start + self.selection.width, 0);
            for number in &self.selection.numbers {
                // The first column is the id.
                cells[start + number.place] = image[number.column - 1];
            }
        }
        for texts in &mut into.texts {
            for name in names {
                texts.push(name);
            }
        }
        into.rows += names.len();
        self.next += names.len();
        Ok(!names.is_empty())
    }
}

/// The pixels of an image, channel after channel.
fn pixels(path: &Path, [channels, height, width]: [usize; 3]) -> Result<Vec<u8>, TableError> {
    let fail = |error| TableError::file(path, error);
    let mut start = Vec::new();
    File::open(path).map_err(fail)?.take(8).read_to_end(&mut start).map_err(fail)?;
    let format = match &start[..] {
        [0x89, b'P', b'N', b'G', ..] => ImageFormat::Png,
        [0xff, 0xd8, 0xff, ..] => ImageFormat::Jpeg,
        _ => return Err(TableError::format(path, FormatProblem::NotAnImage)),
    };
    let image = decode(path, format)
        .map_err(|error| TableError::format(path, FormatProblem::DamagedImage(error.to_string())))?;
    let image = image.resize_exact(width as u32, height as u32, FilterType::Triangle);
    let mut planes = vec![0; channels * height * width];
    let size = height * width;
    if channels == 1 {
        for (at, pixel) in image.to_luma_alpha8().pixels().enumerate() {
            planes[at] = on_white(pixel.0[0], pixel.0[1]);
        }
    } else {
        for (at, pixel) in image.to_rgba8().pixels().enumerate() {
            for channel in 0..channels {
                planes[channel * size + at] = on_white(pixel.0[channel], pixel.0[3]);
            }
        }
    }
    Ok(planes)
}

fn decode(path: &Path, format: ImageFormat) -> image::ImageResult<DynamicImage> {
    let mut reader = ImageReader::with_format(BufReader::new(File::open(path)?), format);
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE), Some(MAX_SIDE));
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let turned = decoder.orientation()?;
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(turned);
    Ok(image)
}

/// A value of a colour behind which there is white.
fn on_white(value: u8, opaque: u8) -> u8 {
    let (value, opaque) = (u32::from(value), u32::from(opaque));
    ((value * opaque + 255 * (255 - opaque) + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_transparent_is_white() {
        assert_eq!([on_white(10, 255), on_white(10, 0), on_white(0, 128)], [10, 255, 127]);
    }
}
