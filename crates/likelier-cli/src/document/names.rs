//! Names of a length that can be shown.

use super::TableCell;

/// The longest name that is shown whole, and how much of a longer one is left at its two ends.
pub(super) const LONGEST: usize = 28;
const ENDS: [usize; 2] = [16, 11];
/// How much stands before the first letter in which two names differ.
const BEFORE: usize = 3;

impl TableCell {
    /// A name; the middle of a long one is left out, and its title has all of it.
    pub fn name(name: &str) -> Self {
        Self::shown_as(shortened(name), name)
    }

    /// Names that can be told apart, as far as they differ.
    pub fn names(names: &[&str]) -> Vec<Self> {
        told_apart(names)
            .into_iter()
            .zip(names)
            .map(|(shown, name)| Self::shown_as(shown, name))
            .collect()
    }

    fn shown_as(shown: String, name: &str) -> Self {
        let title = if shown == name { String::new() } else { name.to_owned() };
        Self { title, ..shown.into() }
    }
}

/// A name without its middle, if it is long: names often differ at their ends.
fn shortened(name: &str) -> String {
    let count = name.chars().count();
    if count <= LONGEST {
        return name.to_owned();
    }
    let start: String = name.chars().take(ENDS[0]).collect();
    let end: String = name.chars().skip(count - ENDS[1]).collect();
    format!("{start}…{end}")
}

/// The same for names that stand together: those that would look the same are shown from where they differ.
pub fn told_apart(names: &[&str]) -> Vec<String> {
    let shown: Vec<String> = names.iter().map(|name| shortened(name)).collect();
    let of = |(name, short): (&&str, &String)| {
        let alike = || {
            names
                .iter()
                .zip(&shown)
                .filter(|(_, other)| *other == short)
                .map(|(other, _)| *other)
        };
        let differ = alike()
            .map(|other| common(name, other))
            .filter(|at| *at < name.chars().count())
            .min();
        match differ {
            Some(at) if alike().any(|other| other != *name) => from(name, at.saturating_sub(BEFORE)),
            _ => short.clone(),
        }
    };
    names.iter().zip(&shown).map(of).collect()
}

/// How many letters two names begin with alike; all of them where they are one and the same.
fn common(one: &str, two: &str) -> usize {
    one.chars().zip(two.chars()).take_while(|(one, two)| one == two).count()
}

/// A name from a letter on, as far as there is room.
fn from(name: &str, start: usize) -> String {
    let rest: String = name.chars().skip(start).collect();
    let before = if start > 0 { "…" } else { "" };
    if rest.chars().count() < LONGEST {
        return format!("{before}{rest}");
    }
    let cut: String = rest.chars().take(LONGEST - 2).collect();
    format!("{before}{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_loses_its_middle_and_its_title_has_all_of_it() {
        let whole = "0123456789012345678901234567";
        assert_eq!(TableCell::name(whole), whole.to_owned().into());
        let cell = TableCell::name("東京-0123456789-abcdefghijklmnopqrstuvwxyz");
        assert_eq!(cell.text, "東京-0123456789-ab…pqrstuvwxyz");
        assert_eq!(cell.text.chars().count(), LONGEST);
        assert_eq!(cell.title, "東京-0123456789-abcdefghijklmnopqrstuvwxyz");
    }

    #[test]
    fn names_that_differ_in_their_middles_are_shown_from_there() {
        let name = |at: usize| format!("the measured value number {at:02}, in micrometres per second");
        let (one, two) = (name(17), name(23));
        let shown = told_apart(&[&one, &two, "short", "another name that is long, and alone"]);
        assert_eq!(
            shown,
            [
                "…er 17, in micrometres per …",
                "…er 23, in micrometres per …",
                "short",
                "another name tha…, and alone"
            ]
        );
        assert!(shown.iter().all(|name| name.chars().count() <= LONGEST));
        let cells = TableCell::names(&[&one, &two]);
        assert_eq!(cells[0].title, one);
        assert_eq!(
            told_apart(&[&one, &one]),
            [shortened(&one), shortened(&one)],
            "there is nothing to tell apart"
        );
        assert!(told_apart(&[]).is_empty());
    }
}
