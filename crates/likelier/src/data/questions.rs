//! Answers to several questions about the same items: "which is likelier spam?", "which is likelier rude?".
//!
//! One classifier answers one question, so everything but [`fit_questions`](crate::fit_questions) takes answers to one:
//! [`Answers::to_question`] picks them.

use super::{Answers, Texts};
use crate::error::Error;

/// Which question each answer is to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// The names, in the order in which they first occur.
    pub names: Texts,
    /// The place in `names` of the question of each answer.
    pub of: Vec<u32>,
}

impl Questions {
    /// The names of all questions.
    pub fn list(&self) -> Vec<String> {
        self.names.iter().map(str::to_owned).collect()
    }

    /// The first two questions that differ in nothing but capitals and white space: perhaps they are meant to be one.
    pub fn nearly_alike(&self) -> Option<[String; 2]> {
        let plain = |name: &str| name.split_whitespace().collect::<String>().to_lowercase();
        let names = self.list();
        let alike = |at: usize| {
            let earlier = names[..at].iter().find(|one| plain(one) == plain(&names[at]))?;
            Some([earlier.clone(), names[at].clone()])
        };
        (0..names.len()).find_map(alike)
    }
}

impl Answers {
    /// The answers to one question, by its name.
    pub fn to_question(&self, name: &str) -> Result<Self, Error> {
        let known = self.questions().map(Questions::list).unwrap_or_default();
        let Some(number) = known.iter().position(|one| one == name) else {
            return Err(Error::UnknownQuestion { given: name.to_owned(), known });
        };
        Ok(self.to_number(number as u32))
    }

    /// The answers to each question, in the order in which the questions first occur; nothing where none was noted.
    pub fn by_question(&self) -> Vec<(String, Self)> {
        let names = self.questions().map(Questions::list).unwrap_or_default();
        names.into_iter().zip((0..).map(|number| self.to_number(number))).collect()
    }

    fn to_number(&self, number: u32) -> Self {
        self.part(|at| self.questions().is_some_and(|questions| questions.of[at] == number))
    }

    /// Refuses answers to more than one question.
    pub fn to_one_question(&self) -> Result<(), Error> {
        match self.questions() {
            Some(questions) if questions.names.len() > 1 => {
                Err(Error::SeveralQuestions { questions: questions.list() })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Annotators, PairGroups, ShownSide};

    fn answers() -> Answers {
        Answers::from_iter([(0, 1), (2, 3), (1, 0), (3, 2)])
            .asked(Questions { names: Texts::from_iter(["spam", "rude"]), of: vec![0, 1, 0, 1] })
            .unwrap()
            .by(Annotators { names: Texts::from_iter(["ann", "bob"]), of: vec![0, 1, 0, 1] })
            .unwrap()
            .grouped(PairGroups { names: Texts::from_iter(["x", "y"]), of: vec![0, 0, 1, 1] })
            .unwrap()
            .weighted(vec![1.0, 2.0, 3.0, 4.0])
            .unwrap()
            .tied(vec![false, true, false, false])
            .unwrap()
            .shown(vec![Some(ShownSide::Left), None, None, Some(ShownSide::Right)])
            .unwrap()
            .at(Texts::from_iter(["1", "2", "3", "4"]))
            .unwrap()
    }

    #[test]
    fn a_question_keeps_all_that_was_noted_with_its_answers_and_nothing_else() {
        let rude = answers().to_question("rude").unwrap();
        assert_eq!(rude.pairs(), [(2, 3), (3, 2)]);
        assert_eq!(rude.weights(), Some(&[2.0, 4.0][..]));
        assert_eq!(rude.ties(), Some(&[true, false][..]));
        assert_eq!(rude.sides(), Some(&[None, Some(ShownSide::Right)][..]));
        assert_eq!(rude.times(), Some(&Texts::from_iter(["2", "4"])));
        // Who did not answer it is not listed.
        assert_eq!(
            rude.annotators(),
            Some(&Annotators { names: Texts::from_iter(["bob"]), of: vec![0, 0] })
        );
        assert_eq!(
            rude.groups(),
            Some(&PairGroups { names: Texts::from_iter(["x", "y"]), of: vec![0, 1] })
        );
        assert!(rude.to_one_question().is_ok());
        let parts = answers().by_question();
        assert_eq!(
            parts.iter().map(|(name, of)| (&name[..], of.len())).collect::<Vec<_>>(),
            [("spam", 2), ("rude", 2)]
        );
    }

    #[test]
    fn several_questions_are_not_one_and_an_unknown_one_is_none() {
        let several = answers().to_one_question().unwrap_err().to_string();
        assert!(several.contains("'spam', 'rude'"), "{several}");
        let unknown = answers().to_question("Spam").unwrap_err().to_string();
        assert!(unknown.contains("'Spam'") && unknown.contains("'rude'"), "{unknown}");
        assert!(Answers::from_iter([(0, 1)]).to_question("spam").is_err());
        assert!(Answers::from_iter([(0, 1)]).to_one_question().is_ok());
    }

    #[test]
    fn names_that_differ_in_capitals_and_spaces_are_nearly_alike() {
        let questions = |names: &[&str]| Questions { names: Texts::from_iter(names), of: Vec::new() };
        assert_eq!(
            questions(&["a", "is it b", "Is  it B"]).nearly_alike(),
            Some(["is it b".into(), "Is  it B".into()])
        );
        assert_eq!(questions(&["a", "b", "ab"]).nearly_alike(), None);
    }
}
