//! How long it takes to read items and the comparisons between them.
//!
//! ```text
//! read ITEMS [COMPARISONS]     prints rows and seconds of each, and the most memory, as JSON
//! ```

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use likelier_tables::{Items, Layout, read_answers};

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let items_file = files.first().ok_or("give a file of items")?;
    let layout = Layout::default();
    let start = Instant::now();
    let items = Items::read(Path::new(items_file), &layout)?;
    let seconds = start.elapsed().as_secs_f64();
    print!("{{\"items\": {}, \"items_seconds\": {seconds:.3}", items.ids.len());
    if let Some(file) = files.get(1) {
        let start = Instant::now();
        let answers = read_answers(Path::new(file), &items.ids, &layout)?;
        let seconds = start.elapsed().as_secs_f64();
        print!(", \"comparisons\": {}, \"comparisons_seconds\": {seconds:.3}", answers.pairs().len());
    }
    println!(", \"peak_mb\": {}}}", peak_mb().unwrap_or(0));
    Ok(())
}

/// The most memory that this process has had, where Linux tells.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1000)
}
