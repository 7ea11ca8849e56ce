//! Plausible mistakes on the command line, and what each is told: `cmd/mistakes.md`.

#[test]
fn every_mistake_gets_a_clear_answer() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}
