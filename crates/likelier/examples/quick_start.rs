//! The README's example; a test compares the two.

use likelier::{Answers, FitOptions, Method, Prior, Protocol, Rows, Supervision, fit};

fn main() -> Result<(), likelier::Error> {
    // Five items with one feature each, and four comparisons: item 4 is likelier than item 0, …
    let rows = Rows::from_numbers(vec![0.1, 0.4, 0.5, 0.8, 0.9], 1)?;
    let answers = Answers::from_iter([(4, 0), (3, 1), (3, 0), (4, 2)]);
    let supervision = Supervision::new(answers)
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.5)?);
    // Four are too few to judge the classifier as well, so none is held out.
    let options = FitOptions::new().method(Method::PcompRelu).hold_out(0.0);
    let fitted = fit(&rows, &supervision, &options)?;
    let scores = fitted.classifier.scores(&rows)?;
    assert!(scores[4] > scores[0]);
    Ok(())
}
