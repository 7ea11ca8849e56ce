//! Answers out of files.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod table_files;

use likelier::data::{Annotators, PairGroups, Pile, RepeatCount, ShownSide, Texts};
use likelier::{Answers, Comparisons};
use likelier_tables::{Ids, Layout, read_answers, read_piles};
use proptest::prelude::*;
use table_files::Folder;

fn ids(names: &[&str]) -> Ids {
    Ids::named(names.iter().collect()).unwrap()
}

fn read(text: &str, ids: &Ids) -> Result<Answers, String> {
    let folder = Folder::new();
    let path = folder.file("c.csv", text.as_bytes());
    read_answers(&path, ids, &Layout::default()).map_err(|error| {
        let message = error.to_string();
        message.strip_prefix(&path.display().to_string()).expect(&message).to_owned()
    })
}

#[test]
fn answers_come_with_all_that_was_noted() {
    let text = "other,likelier,annotator,time,weight,side,tie\n\
                b,a,Ann,2026-01-01,2,left,no\nc,a,Bob,,1,,Yes\na,b,Ann,t,0.5,RIGHT,\nb,a,,t,1,Left,1\n";
    let answers = read(text, &ids(&["a", "b", "c"])).unwrap();
    assert_eq!(answers.pairs(), [(0, 1), (0, 2), (1, 0), (0, 1)]);
    assert_eq!(answers.weights(), Some(&[2.0, 1.0, 0.5, 1.0][..]));
    assert_eq!(answers.ties(), Some(&[false, true, false, true][..]));
    let annotators = Annotators { names: Texts::from_iter(["Ann", "Bob", ""]), of: vec![0, 1, 0, 2] };
    assert_eq!(answers.annotators(), Some(&annotators));
    let (left, right) = (Some(ShownSide::Left), Some(ShownSide::Right));
    assert_eq!(answers.sides(), Some(&[left, None, right, left][..]));
    assert_eq!(answers.times(), Some(&Texts::from_iter(["2026-01-01", "", "t", "t"])));
    // A tie has no order: the last answer does not say again what the first says, and the tie contradicts nothing.
    let found = answers.repeats();
    assert_eq!(found.repeated, RepeatCount::default());
    assert_eq!(found.both_orders, RepeatCount { count: 1, example: Some((0, 2)) });
    // A tie is half a comparison in each order.
    let comparisons = answers.comparisons();
    let pairs: Vec<_> = comparisons.iter().collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (2, 0), (1, 0), (0, 1), (1, 0)]);
    assert_eq!(comparisons.weights(), Some(&[2.0, 0.5, 0.5, 0.5, 0.5, 0.5][..]));
}

#[test]
fn groups_are_read_by_name_and_a_blank_is_no_group_in_particular() {
    let text = "likelier,other,group\na,b,wine\nb,c,\na,c,beer\nc,a,wine \n";
    let answers = read(text, &ids(&["a", "b", "c"])).unwrap();
    let groups = PairGroups { names: Texts::from_iter(["wine", "", "beer"]), of: vec![0, 1, 2, 0] };
    assert_eq!(answers.groups(), Some(&groups));
    assert_eq!(read("likelier,other\na,b\n", &ids(&["a", "b"])).unwrap().groups(), None);
}

#[test]
fn repeated_answers_are_counted_without_notes_as_well() {
    let answers = read("likelier,other\na,b\nb,a\na,b\n", &ids(&["a", "b"])).unwrap();
    let found = answers.repeats();
    assert_eq!(found.repeated, RepeatCount { count: 1, example: Some((0, 2)) });
    assert_eq!(found.both_orders, RepeatCount { count: 1, example: Some((0, 1)) });
}

#[test]
fn weights_that_are_all_one_are_no_weights() {
    let answers = read("likelier,other,weight,tie\na,b,1,0\n", &ids(&["a", "b"])).unwrap();
    assert_eq!(answers.comparisons().weights(), None);
    let answers = read("likelier,other\na,b\n", &ids(&["a", "b"])).unwrap();
    assert_eq!((answers.weights(), answers.ties(), answers.sides()), (None, None, None));
    assert_eq!(answers.comparisons(), Comparisons::from_iter([(0, 1)]));
}

#[test]
fn pairs_without_a_header_are_row_numbers() {
    let pairs = [(0, 2), (1, 0)];
    let answers = read("0\t2\t0.5\n1\t0\t2\n", &Ids::numbered(3)).unwrap();
    assert_eq!((answers.pairs(), answers.weights()), (&pairs[..], Some(&[0.5, 2.0][..])));
    // Also where the items have names that cannot be meant, or that are the row numbers themselves.
    assert_eq!(read("0\t2\n1\t0\n", &ids(&["a", "b", "c"])).unwrap().pairs(), pairs);
    assert_eq!(read("0\t2\n1\t0\n", &ids(&["0", "1", "2"])).unwrap().pairs(), pairs);
    // Where a number is the name of another row, it is not guessed.
    let message = read("0\t2\n1\t0\n", &ids(&["2", "1", "0"])).unwrap_err();
    assert!(
        message.starts_with(", line 1, column 1 ('f0'): without a header, '0' is a row number"),
        "{message}"
    );
    let by_id = read("likelier,other\n0,2\n1,0\n", &ids(&["2", "1", "0"])).unwrap();
    assert_eq!(by_id.pairs(), [(2, 0), (1, 2)]);
    let message = read("0,1,2,3\n", &Ids::numbered(9)).unwrap_err();
    assert!(message.starts_with(": has no header and 4 columns"), "{message}");
}

#[test]
fn what_cannot_be_a_comparison_is_refused_with_its_place() {
    let names = ids(&["a", "b"]);
    for (text, problem) in [
        (
            "likelier,other\na,b\nx,b\na,y\n",
            ", line 3: no item has the id 'x' (2 cells in all hold ids of no item)",
        ),
        (
            "likelier,other\na,b\nx,b\n",
            ", line 3: no item has the id 'x' (1 cell in all holds an id of no item)",
        ),
        ("likelier,other\na,b\nb,b\n", ", line 3: 'b' is compared with itself"),
        ("likelier,other\na,\n", ", line 2, column 2 ('other'): the value is missing"),
        ("likelier,other,weight\na,b,-1\n", ", line 2, column 3 ('weight'): the weight -1 is negative"),
        ("likelier,other,weight\na,b,nan\n", ", line 2, column 3 ('weight'): the value is missing"),
        ("likelier,other,weight\na,b,inf\n", ", line 2, column 3 ('weight'): 'inf' is not a finite number"),
        ("likelier,other,weight\na,b,0\nb,a,0\n", ": every weight is 0, so no comparison would count"),
        (
            "likelier,other,tie\na,b,maybe\n",
            ", line 2, column 3 ('tie'): 'maybe' is neither a tie (1, true, yes) nor no tie (0, false, no)",
        ),
        (
            "likelier,other,side\na,b,top\n",
            ", line 2, column 3 ('side'): 'top' is not a side: give left or right, where the likelier item was shown, or \
             nothing if not known",
        ),
        ("chosen,left\na,b\n", ": has no columns 'likelier', 'other'; there are: 'chosen', 'left'"),
        ("Winner,lost\na,b\n", ": has no columns 'likelier', 'other'; there are: 'Winner', 'lost'"),
        ("", ": is empty"),
        ("likelier,other\n", ": holds no comparisons"),
    ] {
        assert_eq!(read(text, &names).unwrap_err(), problem);
    }
    let message = read("0,1\n1,3\n", &Ids::numbered(3)).unwrap_err();
    assert_eq!(message, ", line 2: no item has the id '3' (1 cell in all holds an id of no item)");
}

#[test]
fn piles_are_read_as_generate_writes_them() {
    let folder = Folder::new();
    let path = folder.file("piles.csv", b"id,pile\n7,likelier\n9,other\n7,other\n8,likelier\n");
    let piles = read_piles(&path, &ids(&["7", "8", "9"]), &Layout::default()).unwrap();
    assert_eq!(
        (piles.piles().rows(Pile::Likelier), piles.piles().rows(Pile::Other)),
        (&[0, 1][..], &[2, 0][..])
    );
    let path = folder.file("piles.csv", b"id,pile\n7,likelier\n9,neither\n");
    let message = read_piles(&path, &ids(&["7", "9"]), &Layout::default())
        .unwrap_err()
        .to_string();
    assert!(
        message.ends_with(", line 3, column 2 ('pile'): 'neither' is neither 'likelier' nor 'other'"),
        "{message}"
    );
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        pairs in prop::collection::vec((0..20_u32, 0..20_u32, 0..8_u8, any::<bool>()), 1..60),
        delimiter in prop::sample::select(vec![",", "\t", ";"]),
    ) {
        let pairs: Vec<_> = pairs.into_iter().filter(|pair| pair.0 != pair.1 && pair.2 > 0).collect();
        prop_assume!(!pairs.is_empty());
        let names: Vec<String> = (0..20).map(|at| format!("item {at}, \"é\"")).collect();
        let quoted = |at: u32| format!("\"{}\"", names[at as usize].replace('"', "\"\""));
        let mut lines = vec![["likelier", "other", "weight", "tie"].join(delimiter)];
        lines.extend(pairs.iter().map(|(likelier, other, weight, tie)| {
            [quoted(*likelier), quoted(*other), weight.to_string(), tie.to_string()].join(delimiter)
        }));
        let ids = Ids::named(names.iter().collect()).unwrap();
        let answers = read(&lines.join("\r\n"), &ids).unwrap();
        let expected: Vec<(u32, u32)> = pairs.iter().map(|pair| (pair.0, pair.1)).collect();
        prop_assert_eq!(answers.pairs(), expected);
        prop_assert_eq!(answers.ties().unwrap(), pairs.iter().map(|pair| pair.3).collect::<Vec<_>>());
        // No weight is lost in the two halves of a tie.
        let comparisons = answers.comparisons();
        let total: f32 = comparisons.weights().map_or(comparisons.len() as f32, |weights| weights.iter().sum());
        prop_assert_eq!(total, pairs.iter().map(|pair| f32::from(pair.2)).sum::<f32>());
    }
}
