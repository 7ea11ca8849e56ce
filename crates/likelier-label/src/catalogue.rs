//! The items as people see them: texts, rows of a table, or images.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use likelier::data::Texts;
use likelier_tables::{Ids, Layout, TextTable, checksum, hex};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::LabelError;
use crate::store::Settings;

/// The largest image that is shown.
const LARGEST: u64 = 64 << 20;
/// So many images are looked for when the page is started.
const LOOKED_FOR: usize = 200;
/// The longest text of a cell that is sent to a page.
const LONGEST: usize = 20_000;

/// What the page shows of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Face {
    /// Cells in the order of [`Catalogue::columns`].
    cells: Vec<String>,
    /// Whether there is an image.
    image: bool,
}

/// All items.
#[derive(Debug)]
pub struct Catalogue {
    path: PathBuf,
    ids: Ids,
    columns: Vec<String>,
    cells: Vec<Texts>,
    images: Option<Images>,
    checksum: String,
}

#[derive(Debug)]
struct Images {
    folder: PathBuf,
    paths: Texts,
}

/// Images that browsers know, by how they begin.
fn kind(start: &[u8]) -> Option<&'static str> {
    let is = |at: usize, magic: &[u8]| start.get(at..at + magic.len()) == Some(magic);
    [
        (is(0, b"\x89PNG\r\n\x1a\n"), "image/png"),
        (is(0, b"\xff\xd8\xff"), "image/jpeg"),
        (is(0, b"GIF8"), "image/gif"),
        (is(0, b"RIFF") && is(8, b"WEBP"), "image/webp"),
        (is(4, b"ftypavif"), "image/avif"),
        (is(0, b"BM"), "image/bmp"),
    ]
    .into_iter()
    .find_map(|(found, name)| found.then_some(name))
}

const EXTENSIONS: [&str; 7] = ["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp"];

impl Catalogue {
    /// Reads a table of items, or a folder of images.
    pub fn read(settings: &Settings) -> Result<Self, LabelError> {
        let path = &settings.items;
        let read = if path.is_dir() { Self::of_folder(path)? } else { Self::of_table(path, settings)? };
        match read.ids.len() {
            0 | 1 => Err(LabelError::TooFewItems { path: path.clone(), count: read.ids.len() }),
            _ => Ok(read),
        }
    }

    fn of_folder(path: &Path) -> Result<Self, LabelError> {
        let refused = |reason| LabelError::file(path, reason);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            let ends = |end: &str| end.to_lowercase();
            let end = Path::new(&name).extension().and_then(|end| end.to_str()).map(ends);
            if let (Some(name), true) =
                (name.to_str(), end.is_some_and(|end| EXTENSIONS.contains(&&end[..])))
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        if names.is_empty() {
            let problem = format!("holds no images ({})", EXTENSIONS.join(", "));
            return Err(LabelError::Import { path: path.to_owned(), problem });
        }
        let texts: Texts = names.iter().collect();
        let folder = fs::canonicalize(path).map_err(refused)?;
        Ok(Self {
            path: path.to_owned(),
            checksum: hex(&Sha256::digest(names.join("\n"))),
            ids: Ids::named(texts.clone())?,
            columns: Vec::new(),
            cells: Vec::new(),
            images: Some(Images { folder, paths: texts }),
        })
    }

    fn of_table(path: &Path, settings: &Settings) -> Result<Self, LabelError> {
        let checksum = {
            let path = path.to_owned();
            std::thread::spawn(move || checksum(&path))
        };
        let layout = Layout { id: settings.id.clone(), ..Layout::default() };
        let TextTable { columns, mut cells, ids, id_column } = TextTable::read(path, &layout)?;
        let find = |name: &String| {
            columns.iter().position(|column| column == name).ok_or_else(|| {
                LabelError::from(likelier_tables::TableError::NoSuchColumn {
                    path: path.to_owned(),
                    missing: vec![name.clone()],
                    present: columns.clone(),
                })
            })
        };
        let image = settings.image.as_ref().map(find).transpose()?;
        let shown: Vec<usize> = match &settings.show {
            Some(names) => names.iter().map(find).collect::<Result<_, _>>()?,
            // An image says it all, unless columns are named.
            None if image.is_some() => Vec::new(),
            None => (0..columns.len())
                .filter(|at| Some(*at) != id_column && !["label", "group", ""].contains(&&columns[*at][..]))
                .collect(),
        };
        if shown.is_empty() && image.is_none() {
            let problem = "has no columns to show but its ids".into();
            return Err(LabelError::Import { path: path.to_owned(), problem });
        }
        let images = match image {
            Some(at) => {
                let beside = path.parent().map(Path::to_owned).unwrap_or_default();
                let folder = settings.images.clone().unwrap_or(beside);
                let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
                let folder =
                    fs::canonicalize(&folder).map_err(|reason| LabelError::file(&folder, reason))?;
                Some(Images { folder, paths: cells[at].clone() })
            }
            None => None,
        };
        let names = shown.iter().map(|at| columns[*at].clone()).collect();
        let cells = shown.iter().map(|at| std::mem::take(&mut cells[*at])).collect();
        let checksum = checksum.join().map_err(|_| std::io::Error::other("could not be read"));
        let checksum = checksum.and_then(|sum| sum).map_err(|reason| LabelError::file(path, reason))?;
        Ok(Self { path: path.to_owned(), ids, columns: names, cells, images, checksum })
    }

    /// The items file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the items are called.
    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// The columns that are shown.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What the file is told from another by.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// Whether items have images.
    pub fn has_images(&self) -> bool {
        self.images.is_some()
    }

    /// The first images that cannot be shown, with the reason, of those that are looked at before the start.
    pub fn missing_images(&self) -> Vec<String> {
        let count = if self.images.is_some() { self.ids.len().min(LOOKED_FOR) } else { 0 };
        (0..count)
            .filter_map(|row| {
                self.open_image(row as u32)
                    .err()
                    .map(|why| format!("{}: {why}", self.ids.name(row)))
            })
            .collect()
    }

    pub(crate) fn face(&self, row: u32) -> Face {
        let cell = |texts: &Texts| {
            let text = texts.get(row as usize);
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{} …", &text[..end]),
                None => text.to_owned(),
            }
        };
        Face { cells: self.cells.iter().map(cell).collect(), image: self.images.is_some() }
    }

    /// An image with its type. The path must be below the folder, and stay there when every link is followed.
    pub(crate) fn image(&self, row: u32) -> Result<(&'static str, Vec<u8>), String> {
        let (mut file, name) = self.open_image(row)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|reason| format!("'{name}': {reason}"))?;
        match kind(&bytes) {
            Some(kind) => Ok((kind, bytes)),
            None => Err(format!("'{name}' is not an image that browsers show ({})", EXTENSIONS.join(", "))),
        }
    }

    fn open_image(&self, row: u32) -> Result<(File, String), String> {
        let Some(images) = &self.images else { return Err("the items have no images".into()) };
        let name = images.paths.get(row as usize);
        if name.is_empty() {
            return Err("has no path of an image".into());
        }
        let relative = Path::new(name);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !relative.components().all(plain) || name.contains('\0') {
            return Err(format!("'{name}' is not a path below the folder of the images"));
        }
        let full = match fs::canonicalize(images.folder.join(relative)) {
            Ok(full) => full,
            Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!("'{name}' is missing"));
            }
            Err(reason) => return Err(format!("'{name}': {reason}")),
        };
        if !full.starts_with(&images.folder) {
            return Err(format!("'{name}' leads out of the folder of the images"));
        }
        let file = File::open(&full).map_err(|reason| format!("'{name}': {reason}"))?;
        match file.metadata() {
            Ok(data) if data.is_file() && data.len() <= LARGEST => Ok((file, name.to_owned())),
            Ok(data) if data.is_file() => Err(format!("'{name}' is larger than {} MB", LARGEST >> 20)),
            _ => Err(format!("'{name}' is not a file")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

    fn read(folder: &Path, table: &str) -> Catalogue {
        fs::write(folder.join("items.csv"), table).unwrap();
        let settings = Settings {
            items: folder.join("items.csv"),
            image: Some("path".into()),
            images: Some(folder.join("pictures")),
            ..Settings::default()
        };
        Catalogue::read(&settings).unwrap()
    }

    #[test]
    fn images_stay_within_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let pictures = folder.path().join("pictures");
        fs::create_dir_all(pictures.join("deep")).unwrap();
        fs::write(pictures.join("deep/in.png"), PNG).unwrap();
        fs::write(pictures.join("note.png"), "<script>alert(1)</script>").unwrap();
        fs::write(folder.path().join("out.png"), PNG).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../out.png", pictures.join("link.png")).unwrap();
            std::os::unix::fs::symlink("..", pictures.join("up")).unwrap();
            std::os::unix::fs::symlink("deep/in.png", pictures.join("inside.png")).unwrap();
        }
        let outside = folder.path().join("out.png");
        let table = format!(
            "path\ndeep/in.png\n../out.png\n{}\nlink.png\nup/out.png\nnone.png\nnote.png\ndeep\ndeep/../../out.png\n\
             inside.png\n./deep/in.png\n",
            outside.display()
        );
        let items = read(folder.path(), &table);
        assert_eq!(items.image(0).unwrap(), ("image/png", PNG.to_vec()));
        let said = |row: u32| items.image(row).unwrap_err();
        for row in [1, 2, 8] {
            assert!(said(row).contains("is not a path below the folder"), "{}", said(row));
        }
        for row in [3, 4] {
            assert!(said(row).contains("leads out of the folder"), "{}", said(row));
        }
        assert!(said(5).contains("is missing"));
        assert!(said(6).contains("is not an image"));
        assert!(said(7).contains("is not a file"));
        assert!(items.image(9).is_ok() && items.image(10).is_ok());
        assert_eq!(items.missing_images().len(), 7);
    }

    #[test]
    fn labels_groups_and_ids_are_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        fs::write(&path, "id,name,label,group\na,one,1,x\nb,two,0,y\n").unwrap();
        let settings = Settings { items: path.clone(), ..Settings::default() };
        let items = Catalogue::read(&settings).unwrap();
        assert_eq!(items.columns(), ["name"]);
        assert_eq!(items.face(1).cells, ["two"]);
        fs::write(&path, "id,label\na,1\nb,0\n").unwrap();
        assert!(
            Catalogue::read(&settings)
                .unwrap_err()
                .to_string()
                .contains("no columns to show")
        );
        fs::write(&path, "name\nonly\n").unwrap();
        let one = Catalogue::read(&settings).unwrap_err();
        assert!(one.to_string().contains("1 item, but a comparison is between two"), "{one}");
    }

    #[test]
    fn a_folder_of_images_is_a_list_of_items() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.PNG", "a.jpg", "notes.txt"] {
            fs::write(folder.path().join(name), PNG).unwrap();
        }
        let settings = Settings { items: folder.path().to_owned(), ..Settings::default() };
        let items = Catalogue::read(&settings).unwrap();
        assert_eq!(items.ids().iter().collect::<Vec<_>>(), ["a.jpg", "b.PNG"]);
        assert!(items.has_images());
    }
}
