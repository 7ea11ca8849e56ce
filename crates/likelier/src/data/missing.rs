//! Cells in which nothing is, and numbers that lie far from zero: how both become features.
//!
//! A missing number becomes the median of training. Where numbers were missing in training, a feature of its own says
//! which, as that may tell something. A missing category is a category of its own, the empty text. What was learned
//! stays with the columns ([`NumberRule`]), so that new rows are treated as those of training were.
//!
//! Medians are those of all items, held out or not, as the values of categories are: no answer has a part in them.

use super::{Column, Features, NumberRule, Rows, Values, map_each};

/// What pandas, R, databases and spreadsheets write where nothing is.
pub const MISSING_TEXTS: [&str; 18] = [
    "", "NA", "na", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan", "-NaN", "NULL",
    "null", "Null", "None", "?",
];

/// Whether a text stands for nothing.
pub fn is_missing(text: &str) -> bool {
    // Most cells are longer than any of these.
    text.len() <= 4 && MISSING_TEXTS.contains(&text)
}

/// How many cells of a column are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingCells {
    /// The column.
    pub column: String,
    /// How many.
    pub cells: usize,
}

/// A column whose numbers differ by less than this share of their size gets an offset. Of the 24 bits of a number at
/// least ten are then the same everywhere.
const NARROW: f64 = 1.0 / 1024.0;

impl Features {
    /// Fills in missing numbers, which are NaN in `cells`, as far as there are medians, and shows row and column of each
    /// of them, filled in or not.
    pub fn fill_in(&self, cells: &mut [f32], mut show: impl FnMut(usize, usize)) {
        // Without an early end the loop is done many at a time.
        if !cells.iter().fold(false, |any, cell| any | cell.is_nan()) {
            return;
        }
        let rules: Vec<(usize, usize, &NumberRule)> = self.numbers().collect();
        for (row, cells) in cells.chunks_exact_mut(self.dense_width()).enumerate() {
            for (column, place, rule) in &rules {
                if !cells[*place].is_nan() {
                    continue;
                }
                if let Some(filled) = rule.filled() {
                    cells[*place] = filled;
                    if rule.missing {
                        cells[*place + 1] = 1.0;
                    }
                }
                show(row, *column);
            }
        }
    }

    /// Learns what stands for missing numbers, fills them in, and makes room for the features that say where.
    #[must_use]
    pub fn learn_missing(&self, cells: &mut Vec<f32>) -> Self {
        let mut incomplete = vec![false; self.columns().len()];
        self.clone().fill_in(cells, |_, column| incomplete[column] = true);
        if !incomplete.contains(&true) {
            return self.clone();
        }
        let mut medians = vec![None; self.columns().len()];
        for (column, place, rule) in self.numbers().filter(|(column, ..)| incomplete[*column]) {
            // A column without a single number tells nothing, whatever stands for it.
            let found = medians_of(cells, &[place], self.dense_width())[0];
            medians[column] = Some(found.unwrap_or_default() + rule.offset);
        }
        let learned = self.with_rules(|column, rule| {
            if incomplete[column] {
                (rule.median, rule.missing) = (medians[column], true);
            }
        });
        spread(cells, self, &learned);
        learned.fill_in(cells, |_, _| {});
        learned
    }

    /// The same columns, with the medians of dense rows for numbers that were never missing in training: they may be so
    /// later. Bytes of images and rows of mostly zeros have no cells that could be missing.
    #[must_use]
    pub fn with_medians(&self, rows: &Rows<'_>) -> Self {
        let Some(cells) = rows.as_numbers().filter(|_| rows.width() == self.width()) else {
            return self.clone();
        };
        self.with_medians_of(cells)
    }

    /// The same of the features that come before those of text.
    #[must_use]
    pub fn with_medians_of(&self, cells: &[f32]) -> Self {
        let mut medians = vec![None; self.columns().len()];
        let mut unknown = Vec::new();
        for (column, place, rule) in self.numbers() {
            medians[column] = rule.median;
            if rule.median.is_none() {
                unknown.push((column, place, rule));
            }
        }
        let few: Vec<&[(usize, usize, &NumberRule)]> = unknown.chunks(TOGETHER).collect();
        let found = map_each(&few, |few| {
            let places: Vec<usize> = few.iter().map(|(_, place, _)| *place).collect();
            medians_of(cells, &places, self.dense_width())
        });
        for ((column, _, rule), median) in unknown.into_iter().zip(found.into_iter().flatten()) {
            medians[column] = median.map(|median| median + rule.offset);
        }
        self.with_rules(|column, rule| rule.median = medians[column])
    }

    /// The same columns, with offsets for numbers that 32 bits cannot tell apart well; nothing where there are none.
    /// The cells are to be read again with them.
    pub fn centred(&self, values: &Values) -> Option<Self> {
        let Values::Numbers(cells) = values else { return None };
        let ranges = self.ranges(cells);
        let narrow = |[low, high]: [f32; 2]| {
            let [low, high] = [f64::from(low), f64::from(high)];
            (high - low < NARROW * low.abs().max(high.abs())).then_some(f64::midpoint(low, high))
        };
        let offsets: Vec<f64> =
            ranges.into_iter().map(|range| range.and_then(narrow).unwrap_or(0.0)).collect();
        let far = offsets.iter().any(|offset| *offset != 0.0);
        far.then(|| self.with_rules(|column, rule| rule.offset = offsets[column]))
    }

    /// Takes back the offsets of columns that hold one number only: they told nothing apart.
    #[must_use]
    pub fn without_idle_offsets(&self, values: &mut Values) -> Self {
        let Values::Numbers(cells) = values else { return self.clone() };
        let constant: Vec<bool> = self
            .ranges(cells)
            .iter()
            .map(|range| range.is_some_and(|[low, high]| low == high))
            .collect();
        let width = self.dense_width();
        for (column, place, rule) in self.numbers() {
            if constant[column] && rule.offset != 0.0 {
                for cell in cells.iter_mut().skip(place).step_by(width) {
                    *cell = (f64::from(*cell) + rule.offset) as f32;
                }
            }
        }
        self.with_rules(|column, rule| {
            if constant[column] {
                rule.offset = 0.0;
            }
        })
    }

    /// Puts the mean of every number at 0, as an offset of its column. Beside text, zeros are not stored, so that no other
    /// scaling can do it.
    #[must_use]
    pub fn around_means(&self, cells: &mut [f32]) -> Self {
        let width = self.dense_width();
        let mut means = vec![0.0; self.columns().len()];
        for (column, place, _) in self.numbers() {
            let numbers = || cells.iter().skip(place).step_by(width).map(|cell| f64::from(*cell));
            means[column] = numbers().sum::<f64>() / numbers().count().max(1) as f64;
            for cell in cells.iter_mut().skip(place).step_by(width) {
                *cell = (f64::from(*cell) - means[column]) as f32;
            }
        }
        self.with_rules(|column, rule| rule.offset += means[column])
    }

    /// The lowest and the highest number of each column, where it has any.
    fn ranges(&self, cells: &[f32]) -> Vec<Option<[f32; 2]>> {
        let width = self.dense_width().max(1);
        let parts: Vec<&[f32]> = cells.chunks(width * ROWS_OF_A_PART).collect();
        let (mut lows, mut highs) = (vec![f32::INFINITY; width], vec![f32::NEG_INFINITY; width]);
        for (low, high) in map_each(&parts, |cells| range_of_each(cells, width)) {
            // NaN is neither lower nor higher.
            lows.iter_mut().zip(low).for_each(|(all, part)| *all = all.min(part));
            highs.iter_mut().zip(high).for_each(|(all, part)| *all = all.max(part));
        }
        let ranges: Vec<[f32; 2]> = lows.into_iter().zip(highs).map(|(low, high)| [low, high]).collect();
        let mut of_columns = vec![None; self.columns().len()];
        for (column, place, _) in self.numbers() {
            of_columns[column] = Some(ranges[place]).filter(|[low, high]| low <= high);
        }
        of_columns
    }
}

/// Rows that one thread looks through at a time.
const ROWS_OF_A_PART: usize = 1 << 15;

/// The lowest and the highest number at each place of some rows.
fn range_of_each(cells: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut lows, mut highs) = (vec![f32::INFINITY; width], vec![f32::NEG_INFINITY; width]);
    for row in cells.chunks_exact(width) {
        for ((low, high), cell) in lows.iter_mut().zip(&mut highs).zip(row) {
            // NaN is neither lower nor higher.
            *low = low.min(*cell);
            *high = high.max(*cell);
        }
    }
    (lows, highs)
}

/// Columns whose numbers are picked out of the rows together.
const TOGETHER: usize = 4;

/// The medians of the numbers at some places of all rows, where there are any.
fn medians_of(cells: &[f32], places: &[usize], width: usize) -> Vec<Option<f64>> {
    let mut numbers = vec![Vec::with_capacity(cells.len() / width); places.len()];
    for row in cells.chunks_exact(width) {
        for (numbers, place) in numbers.iter_mut().zip(places) {
            numbers.extend(Some(row[*place]).filter(|cell| !cell.is_nan()));
        }
    }
    numbers.into_iter().map(median).collect()
}

fn median(mut numbers: Vec<f32>) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let middle = numbers.len() / 2;
    let even = numbers.len().is_multiple_of(2);
    let (below, upper, _) = numbers.select_nth_unstable_by(middle, f32::total_cmp);
    let upper = f64::from(*upper);
    let lower = below
        .iter()
        .copied()
        .max_by(f32::total_cmp)
        .filter(|_| even)
        .map_or(upper, f64::from);
    Some(f64::midpoint(lower, upper))
}

/// Moves the features of each row to where they are with more features between them, which are 0.
fn spread(cells: &mut Vec<f32>, narrow: &Features, wide: &Features) {
    let (before, after) = (narrow.dense_width(), wide.dense_width());
    let count = cells.len() / before;
    let dense = narrow.columns().iter().filter(|column| !column.is_text()).count();
    cells.resize(count * after, 0.0);
    let mut row = vec![0.0; before];
    // From the end, so that nothing is written over before it was moved.
    for at in (0..count).rev() {
        row.copy_from_slice(&cells[at * before..(at + 1) * before]);
        let mut to = &mut cells[at * after..(at + 1) * after];
        let mut from = &row[..];
        for (old, new) in narrow
            .columns()
            .iter()
            .map(Column::width)
            .zip(wide.columns().iter().map(Column::width))
            .take(dense)
        {
            let (own, rest) = to.split_at_mut(new);
            own.fill(0.0);
            own[..old].copy_from_slice(&from[..old]);
            (to, from) = (rest, &from[old..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GONE: f32 = f32::NAN;

    fn three() -> Features {
        let colour = Column::Category { name: "colour".into(), values: vec![String::new(), "red".into()] };
        Features::new(vec![Column::number("size"), colour, Column::number("weight")]).unwrap()
    }

    #[test]
    fn ranges_and_medians_of_many_rows_are_those_of_each_column_by_itself() {
        // More rows than one part, more columns than are picked out together.
        let (width, count) = (7, 2 * ROWS_OF_A_PART + 11);
        let mut cells: Vec<f32> = (0..width * count).map(|at| (at * 7919 % 100_003) as f32 - 5e4).collect();
        cells[3 * width + 2] = GONE;
        cells[(count - 1) * width + 6] = 7e5;
        let features = Features::numbered(width);
        let (ranges, learned) = (features.ranges(&cells), features.with_medians_of(&cells));
        for (column, _, rule) in learned.numbers() {
            let of_column = cells.iter().skip(column).step_by(width).copied();
            let mut numbers: Vec<f32> = of_column.filter(|cell| !cell.is_nan()).collect();
            numbers.sort_unstable_by(f32::total_cmp);
            let (half, last) = (numbers.len() / 2, numbers.len() - 1);
            assert_eq!(ranges[column], Some([numbers[0], numbers[last]]));
            let lower = if numbers.len().is_multiple_of(2) { half - 1 } else { half };
            let [lower, upper] = [lower, half].map(|at| f64::from(numbers[at]));
            assert_eq!(rule.median, Some(f64::midpoint(lower, upper)), "column {column}");
        }
    }

    #[test]
    fn missing_numbers_become_medians_and_a_feature_says_where() {
        let mut cells = vec![
            1.0, 0.0, 1.0, 5.0, //
            GONE, 1.0, 0.0, 6.0, //
            4.0, 0.0, 1.0, 7.0, //
            2.0, 0.0, 1.0, 9.0,
        ];
        let learned = three().learn_missing(&mut cells);
        let expected = [
            1.0, 0.0, 0.0, 1.0, 5.0, //
            2.0, 1.0, 1.0, 0.0, 6.0, //
            4.0, 0.0, 0.0, 1.0, 7.0, //
            2.0, 0.0, 0.0, 1.0, 9.0,
        ];
        assert_eq!(cells, expected);
        let names: Vec<String> = learned.names().collect();
        assert_eq!(names, ["size", "size is missing", "colour = ", "colour = red", "weight"]);
        // The other number has a median too, once all is known.
        let learned = learned.with_medians(&Rows::from_numbers(cells, 5).unwrap());
        let mut new = vec![GONE, 0.0, 0.0, 0.0, GONE];
        let mut shown = Vec::new();
        learned.fill_in(&mut new, |row, column| shown.push((row, column)));
        assert_eq!((new, shown), (vec![2.0, 1.0, 0.0, 0.0, 6.5], vec![(0, 0), (0, 2)]));
    }

    #[test]
    fn nothing_is_done_to_rows_in_which_all_is_there() {
        let mut cells = vec![1.0, 0.0, 1.0, 5.0];
        assert_eq!(three().learn_missing(&mut cells), three());
        assert_eq!(cells, [1.0, 0.0, 1.0, 5.0]);
        // Without a median a missing number stays missing, and is shown.
        let mut cells = vec![GONE, 0.0, 1.0, 5.0];
        let mut shown = 0;
        three().fill_in(&mut cells, |_, _| shown += 1);
        assert!(cells[0].is_nan() && shown == 1);
    }

    #[test]
    fn a_column_without_a_single_number_is_zero_and_missing() {
        let mut cells = vec![GONE, 0.0, 1.0, 5.0, GONE, 0.0, 1.0, 6.0];
        let _ = three().learn_missing(&mut cells);
        assert_eq!(cells, [0.0, 1.0, 0.0, 1.0, 5.0, 0.0, 1.0, 0.0, 1.0, 6.0]);
    }

    #[test]
    fn only_numbers_that_hardly_differ_get_an_offset() {
        let far = |first: f32, second: f32| {
            let two = Features::numbered(2);
            let centred = two.centred(&Values::Numbers(vec![first, 0.0, second, 1.0]));
            centred.and_then(|features| features.numbers().next().map(|(_, _, rule)| rule.offset))
        };
        assert_eq!(far(1990.0, 2020.0), None);
        assert_eq!(far(-1.0, 1.0), None);
        assert_eq!(far(1e9, 1e9 + 64.0), Some(1e9 + 32.0));
        assert_eq!(far(-1e9, -1e9), Some(-1e9));
        // One that does not differ at all needs none.
        let centred = Features::numbered(1).centred(&Values::Numbers(vec![7.0, 7.0])).unwrap();
        let mut again = Values::Numbers(vec![0.0, 0.0]);
        assert_eq!(centred.without_idle_offsets(&mut again), Features::numbered(1));
        assert_eq!(again, Values::Numbers(vec![7.0, 7.0]));
    }

    #[test]
    fn no_text_that_stands_for_nothing_is_longer_than_those_that_are_looked_at() {
        assert!(MISSING_TEXTS.iter().all(|text| is_missing(text)));
        assert!(!is_missing("none of these") && !is_missing("red"));
    }
}
