//! `likelier`: a yes/no classifier from "this one is likelier" comparisons.

use std::process::ExitCode;

fn main() -> ExitCode {
    likelier_cli::main()
}
