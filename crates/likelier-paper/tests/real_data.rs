//! The eight data sets of the paper, read from the published files.
//!
//! What is expected was found by `real_data.py`, which shares no code with the readers. Without
//! `LIKELIER_DATA` these tests say that they were skipped.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod data_dir;

use data_dir::data_dir;
use likelier::data::class_counts;
use likelier::random::{Purpose, stream};
use likelier::{Prior, resample_to_prior};
use likelier_paper::benchmark::{Benchmark, Condition, Dataset};
use likelier_tables::TableError;

struct Expected {
    /// Rows of the training and of the test file(s).
    rows: [usize; 2],
    /// Rows of each class, from the lowest class id.
    class_rows: &'static [usize],
    features: usize,
    sums: Sums,
    /// (row, column, value) of the first of the largest cells of some rows.
    largest: [(usize, usize, f32); 5],
    /// Rows to train on and to test with: the paper's Table 1.
    split: [usize; 2],
}

/// Sums over all cells: of the values, of the values times (1 + column), of the values times the class.
type Sums = [f64; 3];

fn check(benchmark: Benchmark, expected: &Expected) -> Result<(), TableError> {
    match data_dir() {
        Some(folder) => check_dataset(&benchmark.load(&folder)?, expected),
        None => Ok(()),
    }
}

fn check_dataset(dataset: &Dataset, expected: &Expected) -> Result<(), TableError> {
    let total = expected.rows[0] + expected.rows[1];
    assert_eq!((dataset.rows.len(), dataset.first_part), (total, expected.rows[0]));
    assert_eq!((dataset.classes.len(), dataset.labels.len()), (total, total));
    assert_eq!(dataset.rows.width(), expected.features);
    let spec = dataset.benchmark.spec();
    assert_eq!(spec.features, expected.features);
    assert_eq!(dataset.note.is_none(), spec.rows == expected.rows);

    let mut class_rows = vec![0; spec.classes.clone().count()];
    for (class, label) in dataset.classes.iter().zip(&dataset.labels) {
        class_rows[usize::from(class - spec.classes.start())] += 1;
        assert_eq!(label.is_positive(), spec.positive.contains(class));
    }
    assert_eq!(class_rows, expected.class_rows);

    for (found, expected) in sums(dataset).into_iter().zip(expected.sums) {
        // Sums of whole numbers are exact; the thousandths of USPS are not in binary.
        assert!((found - expected).abs() <= 1e-8 * expected.abs(), "sum {found}, expected {expected}");
    }
    let mut row = vec![0.0; expected.features];
    for (at, column, value) in expected.largest {
        dataset.rows.copy_row(at, &mut row);
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let first = row.iter().position(|cell| *cell >= largest);
        assert_eq!((first, largest), (Some(column), value), "row {at}");
    }
    check_split(dataset, expected)
}

fn sums(dataset: &Dataset) -> Sums {
    let mut row = vec![0.0; dataset.rows.width()];
    let mut sums = [0.0; 3];
    for (at, class) in dataset.classes.iter().enumerate() {
        dataset.rows.copy_row(at, &mut row);
        let cells = || row.iter().map(|cell| f64::from(*cell));
        let sum: f64 = cells().sum();
        sums[0] += sum;
        sums[1] += cells().zip(1..).map(|(cell, place)| cell * f64::from(place)).sum::<f64>();
        sums[2] += sum * f64::from(*class);
    }
    sums
}

fn check_split(dataset: &Dataset, expected: &Expected) -> Result<(), TableError> {
    let split = dataset.split(&mut stream(1, Purpose::Split));
    assert_eq!([split.train.len(), split.test.len()], expected.split);
    let mut rows = [split.train, split.test.clone()].concat();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), dataset.rows.len());

    let [positives, negatives] = class_counts(&dataset.labels, &split.test)?;
    let smaller = positives.min(negatives);
    for (prior, at_least) in [(0.2, [0, negatives]), (0.5, [smaller; 2]), (0.8, [positives, 0])] {
        let rng = &mut stream(1, Purpose::Resample);
        let kept = resample_to_prior(&dataset.labels, &split.test, Prior::new(prior)?, rng)?;
        let counts = class_counts(&dataset.labels, &kept)?;
        let share = counts[0] as f64 / kept.len() as f64;
        assert!((share - prior).abs() <= 0.5 / kept.len() as f64, "{share} instead of {prior}");
        assert!(counts[0] >= at_least[0] && counts[1] >= at_least[1], "{counts:?} at {prior}");
    }
    Ok(())
}

#[test]
fn mnist_is_what_was_published() -> Result<(), TableError> {
    check(
        Benchmark::Mnist,
        &Expected {
            rows: [60_000, 10_000],
            class_rows: &[6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958],
            features: 784,
            sums: [1_832_221_745.0, 745_574_821_784.0, 8_115_048_464.0],
            largest: [
                (0, 161, 255.0),
                (17_500, 407, 255.0),
                (35_000, 406, 254.0),
                (52_500, 180, 255.0),
                (69_999, 75, 254.0),
            ],
            split: [60_000, 10_000],
        },
    )
}

#[test]
fn fashion_mnist_is_what_was_published() -> Result<(), TableError> {
    check(
        Benchmark::FashionMnist,
        &Expected {
            rows: [60_000, 10_000],
            class_rows: &[7000; 10],
            features: 784,
            sums: [4_004_583_251.0, 1_650_633_701_817.0, 17_752_503_753.0],
            largest: [
                (0, 417, 255.0),
                (17_500, 103, 255.0),
                (35_000, 385, 255.0),
                (52_500, 332, 255.0),
                (69_999, 497, 254.0),
            ],
            split: [60_000, 10_000],
        },
    )
}

#[test]
fn kuzushiji_mnist_is_what_was_published_or_its_known_part() -> Result<(), TableError> {
    let Some(folder) = data_dir() else { return Ok(()) };
    let dataset = Benchmark::KuzushijiMnist.load(&folder)?;
    let Some(note) = &dataset.note else {
        // The published training images, which were not at hand when the sums below were made.
        assert_eq!((dataset.first_part, dataset.rows.len()), (60_000, 70_000));
        return Ok(());
    };
    assert_eq!(
        note,
        "results rest on a partial copy of kuzushiji-mnist: 7011 of 60000 training rows and 10000 of 10000 \
         test rows"
    );
    check_dataset(
        &dataset,
        &Expected {
            rows: [7_011, 10_000],
            class_rows: &[1690, 1690, 1695, 1702, 1757, 1708, 1688, 1708, 1672, 1701],
            features: 784,
            sums: [637_952_057.0, 254_226_481_828.0, 2_893_866_215.0],
            largest: [
                (0, 12, 255.0),
                (4_252, 134, 255.0),
                (8_505, 40, 255.0),
                (12_758, 15, 255.0),
                (17_010, 44, 255.0),
            ],
            split: [7_011, 10_000],
        },
    )
}

#[test]
fn cifar10_is_what_was_published() -> Result<(), TableError> {
    check(
        Benchmark::Cifar10,
        &Expected {
            rows: [50_000, 10_000],
            class_rows: &[6000; 10],
            features: 3_072,
            sums: [22_274_057_637.0, 33_175_895_576_271.0, 99_571_336_365.0],
            largest: [
                (0, 496, 255.0),
                (15_000, 764, 233.0),
                (30_000, 2_830, 203.0),
                (45_000, 1_298, 255.0),
                (59_999, 2_060, 252.0),
            ],
            split: [50_000, 10_000],
        },
    )
}

#[test]
fn usps_is_what_was_published() -> Result<(), TableError> {
    check(
        Benchmark::Usps,
        &Expected {
            rows: [7_291, 2_007],
            class_rows: &[1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821],
            features: 256,
            sums: [-1_155_322.875, -147_135_270.48, -4_707_484.635],
            largest: [(0, 24, 1.0), (2_324, 5, 1.0), (4_649, 21, 1.0), (6_973, 55, 1.0), (9_297, 24, 1.0)],
            split: [7_437, 1_861],
        },
    )
}

#[test]
fn pendigits_is_what_was_published() -> Result<(), TableError> {
    check(
        Benchmark::Pendigits,
        &Expected {
            rows: [7_494, 3_498],
            class_rows: &[1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055],
            features: 16,
            sums: [8_918_653.0, 69_583_909.0, 40_181_616.0],
            largest: [
                (0, 1, 100.0),
                (2_748, 1, 100.0),
                (5_496, 2, 100.0),
                (8_244, 0, 100.0),
                (10_991, 1, 100.0),
            ],
            split: [8_793, 2_199],
        },
    )
}

#[test]
fn optdigits_is_what_was_published_without_its_constant_columns() -> Result<(), TableError> {
    check(
        Benchmark::Optdigits,
        &Expected {
            rows: [3_823, 1_797],
            class_rows: &[554, 571, 557, 572, 568, 558, 558, 566, 554, 562],
            features: 62,
            sums: [1_766_476.0, 54_985_749.0, 7_957_065.0],
            largest: [
                (0, 9, 16.0),
                (1_405, 3, 16.0),
                (2_810, 2, 16.0),
                (4_215, 10, 16.0),
                (5_619, 9, 16.0),
            ],
            split: [4_495, 1_125],
        },
    )
}

#[test]
fn cnae9_is_what_was_published() -> Result<(), TableError> {
    check(
        Benchmark::Cnae9,
        &Expected {
            rows: [1_080, 0],
            class_rows: &[120; 9],
            features: 856,
            sums: [7_593.0, 3_387_969.0, 38_425.0],
            largest: [(0, 333, 1.0), (270, 206, 1.0), (540, 206, 1.0), (810, 206, 1.0), (1_079, 614, 1.0)],
            split: [864, 216],
        },
    )
}

#[test]
fn every_file_is_as_it_was_published() -> Result<(), TableError> {
    let Some(folder) = data_dir() else { return Ok(()) };
    for benchmark in Benchmark::ALL {
        let files = benchmark.inspect(&folder)?;
        let whole = files.iter().filter(|file| file.condition == Condition::Whole).count();
        match Condition::of_all(&files) {
            Condition::Whole => assert_eq!(whole, files.len()),
            Condition::Partial => {
                assert_eq!((benchmark, whole), (Benchmark::KuzushijiMnist, 3));
                assert_eq!(files[0].condition, Condition::Partial);
            }
            _ => panic!("{benchmark}: {files:?}"),
        }
    }
    Ok(())
}
