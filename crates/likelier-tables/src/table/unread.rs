//! Formats that are not read, recognised so that a complaint can call them by their names.

use super::super::problem::UnreadFormat;

/// Bytes that are enough to tell.
pub(super) const LOOK: u64 = 264;

/// The first bytes of formats that are not read.
const STARTS: [(&[u8], UnreadFormat); 26] = [
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", UnreadFormat::OldExcel),
    (b"PK\x05\x06", UnreadFormat::Zip),
    (b"7z\xbc\xaf\x27\x1c", UnreadFormat::Archive),
    (b"Rar!\x1a\x07", UnreadFormat::Archive),
    (b"ARROW1", UnreadFormat::Arrow),
    (b"FEA1", UnreadFormat::Arrow),
    (b"ORC", UnreadFormat::Orc),
    (b"Obj\x01", UnreadFormat::Avro),
    (b"PARE", UnreadFormat::EncryptedParquet),
    (b"SQLite format 3\0", UnreadFormat::Sqlite),
    (b"\x89HDF\r\n\x1a\n", UnreadFormat::Hdf5),
    (b"RDX2\n", UnreadFormat::R),
    (b"RDX3\n", UnreadFormat::R),
    (b"X\n\0\0\0", UnreadFormat::R),
    (b"MATLAB 5.0 MAT-file", UnreadFormat::Matlab),
    (b"<stata_dta>", UnreadFormat::Stata),
    (b"$FL2@(#)", UnreadFormat::Spss),
    (b"\xff\xfe", UnreadFormat::Utf16),
    (b"\xfe\xff", UnreadFormat::Utf16),
    (b"BZh", UnreadFormat::Bzip2),
    (b"%PDF-", UnreadFormat::Pdf),
    (b"\x89PNG\r\n\x1a\n", UnreadFormat::Picture),
    (b"\xff\xd8\xff", UnreadFormat::Picture),
    (b"GIF87a", UnreadFormat::Picture),
    (b"GIF89a", UnreadFormat::Picture),
    (b"II*\0", UnreadFormat::Picture),
];

/// The format that a file has by its first bytes or, where these say nothing, its extension.
pub(super) fn recognised(start: &[u8], extension: &str) -> Option<UnreadFormat> {
    if let Some((_, format)) = STARTS.iter().find(|(magic, format)| {
        // Three letters of text are not enough for these.
        let is_text = [UnreadFormat::Orc, UnreadFormat::Bzip2].contains(format);
        start.starts_with(magic) && !(is_text && is_plain(start))
    }) {
        return Some(*format);
    }
    if extension == "br" {
        return Some(UnreadFormat::Brotli);
    }
    if matches!(start, [0x80, 2..=5, ..]) {
        return Some(UnreadFormat::Pickle);
    }
    if matches!(start, [_, _, _, 0, 0, 0, 0, 0, b'{', b'"', ..]) {
        return Some(UnreadFormat::Model);
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some(UnreadFormat::Archive);
    }
    if let [a, 0, b, 0, ..] | [0, a, 0, b, ..] = start
        && [a, b].iter().all(|byte| byte.is_ascii_graphic())
    {
        return Some(UnreadFormat::Utf16);
    }
    let text = start.trim_ascii_start();
    let is_page = |tag: &[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    (is_page(b"<!doctype html") || is_page(b"<html")).then_some(UnreadFormat::WebPage)
}

/// What an archive without arrays is, by the names in it.
pub(super) fn archive(mut names: impl Iterator<Item = impl AsRef<str>>) -> UnreadFormat {
    names
        .find_map(|name| match name.as_ref() {
            "content.xml" => Some(UnreadFormat::OpenDocument),
            name if name.starts_with("xl/") => Some(UnreadFormat::Excel),
            _ => None,
        })
        .unwrap_or(UnreadFormat::Zip)
}

/// Whether these are bytes of plain text.
fn is_plain(start: &[u8]) -> bool {
    !start
        .iter()
        .any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte) || *byte >= 0xf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_text_whatever_it_starts_with() {
        for text in [
            &b"ORCHID,size\n1,2\n"[..],
            b"BZh,size\n",
            b"id,size\n1,2\n",
            b"\xef\xbb\xbfid,size\n",
            "größe,höhe\n1,2\n".as_bytes(),
            b"1 1:2 3:4\n",
            b"{\"id\": 1}\n",
            b"a",
        ] {
            assert_eq!(recognised(text, "csv"), None, "{text:?}");
        }
    }

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        for (start, format) in STARTS {
            assert_eq!(recognised(&[start, b"\0\x01\x02\xff"].concat(), ""), Some(format), "{start:?}");
        }
        assert_eq!(recognised(b"\x80\x04\x95", ""), Some(UnreadFormat::Pickle));
        assert_eq!(recognised(b"i\0d\0,\0", ""), Some(UnreadFormat::Utf16));
        assert_eq!(recognised(b"  <!DOCTYPE HTML><html>", ""), Some(UnreadFormat::WebPage));
        assert_eq!(recognised(b"abc", "br"), Some(UnreadFormat::Brotli));
        assert_eq!(recognised(b"\xf0\x01\0\0\0\0\0\0{\"__meta", ""), Some(UnreadFormat::Model));
    }
}
