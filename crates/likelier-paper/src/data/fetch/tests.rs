//! Archives over HTTP: no mirror has any, so the built program cannot be asked for them.

use std::io::{Cursor, Write};

use flate2::{Compression, write::GzEncoder};
use server::{Reply, Server};

use super::*;

#[path = "../../../tests/data_dir/mod.rs"]
mod data_dir;
#[path = "../../../tests/server/mod.rs"]
mod server;

fn tar_gz(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, format!("folder/{name}"), bytes.as_slice())
            .unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_taken_out_of_archives_that_arrive_in_pieces() {
    let Some(real) = data_dir::data_dir() else { return };
    let members = ["pendigits.tra", "pendigits.tes"]
        .map(|name| (name, fs::read(real.join("pendigits").join(name)).unwrap()));
    for (name, packing, bytes) in
        [("a.tar.gz", Packing::TarGz, tar_gz(&members)), ("a.zip", Packing::Zip, zip(&members))]
    {
        let length = bytes.len() as u64;
        let server = Server::start(move |_, before| {
            let stop_after = if before == 0 { 50_000 } else { usize::MAX };
            Reply { stop_after, ..Reply::file(bytes.clone()) }
        });
        let folder = tempfile::tempdir().unwrap();
        let mut order = Order::new(Benchmark::Pendigits, folder.path()).unwrap();
        let place = FetchPlace::Archive { address: format!("{}/{name}", server.address), packing };
        order.fetch(&Client::new(), &[place]).unwrap();
        assert_eq!(order.fetched.received_bytes, length, "{name}");
        assert_eq!(server.requests_for(name)[1].from, Some(50_000));
        for (name, bytes) in &members {
            assert_eq!(&fs::read(folder.path().join("pendigits").join(name)).unwrap(), bytes);
        }
        assert_eq!(names(&folder.path().join("pendigits")), ["pendigits.tes", "pendigits.tra"]);
    }
}

#[test]
fn an_archive_with_a_wrong_member_gives_only_the_right_ones() {
    let Some(real) = data_dir::data_dir() else { return };
    let right = fs::read(real.join("pendigits/pendigits.tes")).unwrap();
    let bytes = tar_gz(&[("pendigits.tes", right), ("pendigits.tra", vec![b'?'; 600_000])]);
    let server = Server::start(move |_, _| Reply::file(bytes.clone()));
    let folder = tempfile::tempdir().unwrap();
    let mut order = Order::new(Benchmark::Pendigits, folder.path()).unwrap();
    let place =
        FetchPlace::Archive { address: format!("{}/a.tar.gz", server.address), packing: Packing::TarGz };
    let error = order.fetch(&Client::new(), &[place]).unwrap_err().to_string();
    assert!(error.starts_with("pendigits (pendigits.tra) could not be fetched"), "{error}");
    assert!(error.contains("holds at least 502099 bytes of data; 502098 were published"), "{error}");
    assert_eq!(names(&folder.path().join("pendigits")), ["pendigits.tes"]);
}

#[test]
fn an_archive_that_has_arrived_is_not_asked_for_again() {
    let Some(real) = data_dir::data_dir() else { return };
    let bytes = zip(&[("CNAE-9.data", fs::read(real.join("cnae9/CNAE-9.data")).unwrap())]);
    let server = Server::start(|_, _| Reply::status(404));
    let folder = tempfile::tempdir().unwrap();
    let mut order = Order::new(Benchmark::Cnae9, folder.path()).unwrap();
    let address = format!("{}/a.zip", server.address);
    // As a process leaves it that is killed when the last byte has arrived.
    let mut part = PartFile::open(&order.folder, "a.zip").unwrap();
    let origin = Origin { address: address.clone(), validator: None, length: Some(bytes.len() as u64) };
    part.restart(origin).unwrap();
    part.append(&bytes).unwrap();
    drop(part);
    order
        .fetch(&Client::new(), &[FetchPlace::Archive { address, packing: Packing::Zip }])
        .unwrap();
    assert_eq!((server.requests().len(), order.fetched.received_bytes), (0, 0));
    assert_eq!(names(&order.folder), ["CNAE-9.data"]);
}
