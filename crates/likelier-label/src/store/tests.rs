//! A file of answers: what is kept, and what is refused.

use std::fs;

use super::*;
use crate::store::pairs::Given;

fn fresh() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("a.likelier-label")).unwrap();
    (folder, store)
}

fn deal(
    store: &Store,
    person: i64,
    names: [&str; 2],
    origin: Origin,
    of: Option<i64>,
) -> Result<i64, LabelError> {
    store.deal(&NewPair { person, names, origin, of, propensity: None })
}

fn all(store: &Store) -> Vec<Shown> {
    let mut all = Vec::new();
    store.shown(|shown| all.push(shown)).unwrap();
    all
}

#[test]
fn an_answer_stands_until_it_is_undone_and_all_rows_stay() {
    let (_folder, store) = fresh();
    let ann = store.person("ann", false).unwrap();
    let pair = deal(&store, ann.id, ["x", "y"], Origin::Uniform, None).unwrap();
    let answer = store.add(pair, Choice::Right, None, "key-0001", 5, Some(700)).unwrap();
    let given = Given { id: answer, choice: Choice::Right, reason: None, at: 5, took: Some(700) };
    assert_eq!(all(&store)[0].answer, Some(given));
    assert_eq!(all(&store)[0].names, ["x", "y"]);
    store.undo(pair, answer, "key-0002").unwrap();
    assert_eq!(all(&store)[0].answer, None);
    store.add(pair, Choice::Tie, None, "key-0003", 6, None).unwrap();
    assert_eq!(all(&store)[0].answer.as_ref().map(|given| given.choice), Some(Choice::Tie));
    assert_eq!(store.count().unwrap(), 3);
    assert!(store.undo(pair, answer, "key-0004").is_err(), "an answer is undone once");
    assert!(store.add(pair, Choice::Left, None, "key-0003", 7, None).is_err(), "a key is used once");
}

#[test]
fn a_newer_schema_is_reached_step_by_step_and_a_step_that_fails_changes_nothing() {
    let (folder, mut store) = fresh();
    let path = folder.path().join("a.likelier-label");
    let ann = store.person("ann", false).unwrap();
    let pair = deal(&store, ann.id, ["x", "y"], Origin::Uniform, None).unwrap();
    store.add(pair, Choice::Right, None, "key-0001", 5, None).unwrap();
    let before = all(&store);
    let broken = "CREATE TABLE note (text TEXT); INSERT INTO nowhere VALUES (1)";
    let known = store.version;
    store.migrate(&[&STEPS[..], &[broken]].concat()).unwrap_err();
    assert_eq!(store.check_known().unwrap(), known);
    // The table of the step that failed is not there.
    store
        .migrate(&[&STEPS[..], &["CREATE TABLE note (text TEXT)"]].concat())
        .unwrap();
    assert_eq!(all(&store), before);
    store.close().unwrap();
    let newer = Store::open(&path).unwrap_err().to_string();
    assert!(newer.contains(&format!("version {}", known + 1)), "{newer}");
}

/// A file as the first version made it: two people, three pairs, of which one repeats another, two answers and an undo.
fn old_file(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(STEPS[0]).unwrap();
    let rows = format!(
        r"PRAGMA application_id={APPLICATION}; PRAGMA user_version=1;
        INSERT INTO person VALUES (1, 'ann', 'a', 1, 0), (2, 'bob', 'b', 0, 0);
        INSERT INTO item VALUES (1, 'x'), (2, 'y'), (3, 'z');
        INSERT INTO pair VALUES (1, 1, 1, 2, 'uniform', NULL, 5), (2, 2, 2, 1, 'shared', 1, 6), (3, 1, 3, 1, 'balanced', NULL, 7);
        INSERT INTO answer VALUES (1, 1, 'left', NULL, NULL, 'key-0001', 8, 700), (2, 2, 'tie', NULL, NULL, 'key-0002', 9, NULL);
        INSERT INTO answer VALUES (3, 2, 'undo', 2, NULL, 'key-0003', 10, NULL);"
    );
    connection.execute_batch(&rows).unwrap();
}

#[test]
fn a_file_of_the_first_version_is_read_as_it_is_and_taken_over_when_it_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.likelier-label");
    old_file(&path);
    let untouched = fs::read(&path).unwrap();
    let read = Store::read(&path).unwrap();
    let before = all(&read);
    let last = read.last_answer(1).unwrap();
    drop(read);
    assert_eq!(fs::read(&path).unwrap(), untouched, "reading changes nothing");
    assert_eq!(before.len(), 3);
    assert!(before.iter().all(|shown| shown.propensity.is_none()));
    assert_eq!(
        (before[1].of, before[0].answer.is_some(), before[1].answer.is_some()),
        (Some(1), true, false)
    );

    let mut store = Store::open(&path).unwrap();
    assert_eq!((all(&store), store.last_answer(1).unwrap(), store.count().unwrap()), (before, last, 3));
    store.check().unwrap();
    let wrong = "SELECT count(*) FROM pragma_foreign_key_check";
    let wrong: i64 = store.connection.query_row(wrong, [], |row| row.get(0)).unwrap();
    assert_eq!(wrong, 0);
    // The same rules hold as in a new file.
    assert!(store.run("DELETE FROM answer").is_err());
    assert!(deal(&store, 9, ["x", "y"], Origin::Uniform, None).is_err(), "foreign keys are checked");
    let chosen = |propensity| NewPair {
        person: 1,
        names: ["x", "z"],
        origin: Origin::Chosen,
        of: None,
        propensity: Some(propensity),
    };
    let pair = store.deal(&chosen(0.125)).unwrap();
    for impossible in [0.0, 1.5, f64::NAN] {
        let stored = store.deal(&chosen(impossible));
        assert!(impossible.is_nan() || stored.is_err(), "{impossible}");
    }
    let found = all(&store).into_iter().find(|shown| shown.id == pair).unwrap();
    assert_eq!((found.origin, found.propensity), (Origin::Chosen, Some(0.125)));
    assert_eq!(store.forget("bob").unwrap(), 2);
    store.close().unwrap();
    assert_eq!(Store::open(&path).unwrap().count().unwrap(), 1);
}

#[test]
fn the_last_answer_is_a_persons_own_and_stands() {
    let (_folder, store) = fresh();
    let [ann, bob] = ["ann", "bob"].map(|name| store.person(name, false).unwrap().id);
    assert_eq!(store.last_answer(ann).unwrap(), None);
    let answered = |person, origin, key: &str| {
        let pair = deal(&store, person, ["x", "y"], origin, None).unwrap();
        (pair, store.add(pair, Choice::Right, None, key, 5, None).unwrap())
    };
    let last = |person| store.last_answer(person).unwrap().map(|shown| shown.id);
    let (first, _) = answered(ann, Origin::Uniform, "key-0001");
    let (second, answer) = answered(ann, Origin::Again, "key-0002");
    answered(ann, Origin::Imported, "key-0003");
    let (other, _) = answered(bob, Origin::Uniform, "key-0004");
    assert_eq!([last(ann), last(bob)], [Some(second), Some(other)]);
    store.undo(second, answer, "key-0005").unwrap();
    assert_eq!(last(ann), Some(first));
}

#[test]
fn answers_can_neither_be_changed_nor_deleted() {
    let (_folder, store) = fresh();
    let ann = store.person("ann", false).unwrap();
    let pair = deal(&store, ann.id, ["x", "y"], Origin::Uniform, None).unwrap();
    store.add(pair, Choice::Right, None, "key-0001", 5, None).unwrap();
    for statement in [
        "UPDATE answer SET choice = 'left'",
        "DELETE FROM answer",
        "DELETE FROM person",
        "DELETE FROM pair",
    ] {
        let refused = store.run(statement).unwrap_err().to_string();
        assert!(refused.contains("answers are only ever added"), "{statement}: {refused}");
    }
    assert!(deal(&store, 99, ["x", "y"], Origin::Uniform, None).is_err(), "foreign keys are checked");
    assert!(deal(&store, ann.id, ["x", "x"], Origin::Uniform, None).is_err());
}

#[test]
fn one_program_at_a_time_writes_and_others_may_read() {
    let (folder, store) = fresh();
    let path = store.path().to_owned();
    let refused = Store::open(&path).unwrap_err();
    assert!(matches!(refused, LabelError::InUse(_)), "{refused}");
    assert!(refused.to_string().contains("is in use by another likelier label"));
    store.person("ann", false).unwrap();
    assert_eq!(Store::read(&path).unwrap().people().unwrap().len(), 1);
    store.close().unwrap();
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["a.likelier-label"], "one plain file is left");
    assert!(Store::open(&path).is_ok());
}

#[test]
fn whoever_is_forgotten_is_not_in_the_file_any_more() {
    let (_folder, mut store) = fresh();
    let [ann, bob] = ["Ann-the-first", "bob"].map(|name| store.person(name, false).unwrap());
    let first = deal(&store, ann.id, ["x", "y"], Origin::Uniform, None).unwrap();
    let given = store
        .add(first, Choice::Flag, Some("a secret of Ann's"), "key-0001", 5, None)
        .unwrap();
    store.undo(first, given, "key-0002").unwrap();
    let shared = deal(&store, bob.id, ["x", "y"], Origin::Shared, Some(first)).unwrap();
    store.add(shared, Choice::Left, None, "key-0003", 6, None).unwrap();
    let refused = store.forget("nobody").unwrap_err().to_string();
    assert!(
        refused.contains("nobody called 'nobody'") && refused.contains("Ann-the-first, bob"),
        "{refused}"
    );
    assert_eq!(store.forget("ann-the-FIRST").unwrap(), 2);
    assert_eq!(store.people().unwrap(), [bob]);
    let left = all(&store);
    assert_eq!((left.len(), left[0].id, left[0].of), (1, shared, None));
    store.check().unwrap();
    let path = store.path().to_owned();
    store.close().unwrap();
    let bytes = fs::read(path).unwrap();
    for secret in ["a secret of Ann's", "Ann-the-first", &ann.token[..]] {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
    }
}

#[test]
fn files_of_others_and_of_newer_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.likelier-label");
    fs::write(
        &path,
        "id,name\n1,this is a table and not an SQLite file at all, but longer than a header\n",
    )
    .unwrap();
    assert!(matches!(Store::open(&path), Err(LabelError::NotAnswers(_))));
    assert!(matches!(Store::read(&path), Err(LabelError::NotAnswers(_))));
    fs::remove_file(&path).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE other (x)")
        .unwrap();
    assert!(matches!(Store::open(&path), Err(LabelError::NotAnswers(_))));
    fs::remove_file(&path).unwrap();
    assert!(matches!(Store::read(&path), Err(LabelError::NoSuchAnswers(_))));
    Store::open(&path).unwrap().close().unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA user_version=99")
        .unwrap();
    for refused in [Store::open(&path).unwrap_err(), Store::read(&path).unwrap_err()] {
        let words = refused.to_string();
        assert!(
            words.contains("newer likelier (version 99 of the file format; this one knows 2)"),
            "{words}"
        );
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_links() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, store) = fresh();
    assert_eq!(fs::metadata(store.path()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn names_and_tokens() {
    let (_folder, store) = fresh();
    for bad in ["", "  ", "a\nb", &"x".repeat(81)] {
        assert!(store.person(bad, false).is_err(), "{bad:?}");
    }
    let ann = store.person("  <b>Ann</b> ", false).unwrap();
    assert_eq!((ann.name.as_str(), ann.token.len()), ("<b>Ann</b>", 48));
    assert_eq!(store.person("<B>ann</b>", false).unwrap(), ann);
    assert_ne!(store.person("bob", false).unwrap().token, ann.token);
}
