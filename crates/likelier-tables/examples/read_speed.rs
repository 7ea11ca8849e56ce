//! How fast a table of numbers is read in batches: `cargo run --release -p likelier-tables --example read_speed -- FILE`.

use std::path::Path;
use std::time::Instant;

use likelier_tables::{ItemBatch, ItemBatches, Items, Layout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a file")?;
    let path = Path::new(&path);
    let layout = Layout::default();
    let features = match std::env::args().nth(2) {
        // A small file with the same columns says what they are called.
        Some(sample) => Items::read(Path::new(&sample), &layout)?.features,
        None => likelier::data::Features::numbered(20),
    };
    let start = Instant::now();
    let mut batches = ItemBatches::open(path, &features, &layout)?;
    let (mut batch, mut rows, mut sum) = (ItemBatch::default(), 0, 0.0_f64);
    let mut row = vec![0.0; features.width()];
    while batches.read(&mut batch)? {
        rows += batch.rows.len();
        batch.rows.copy_row(0, &mut row);
        sum += f64::from(row[0]);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{rows} rows in {seconds:.2} s, {:.2} million a second (first cells: {sum:.3})",
        rows as f64 / seconds / 1e6
    );
    Ok(())
}
