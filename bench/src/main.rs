//! Speed and memory beside PyTorch, in one run.
//!
//! ```text
//! likelier-bench compare --python PYTHON --out DIR    both sides, interleaved, into DIR; `--only WORD,WORD`:
//!                                                     works whose names contain one of them; `--before PROGRAM`:
//!                                                     a likelier-bench of an older commit takes turns, too
//! likelier-bench serve                                our side: lines `WORK THREADS` in, JSON out
//! likelier-bench growth > growth.csv                  cost against rows, features and epochs
//! ```

mod compare;
mod growth;
mod works;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("serve") => serve(),
        Some("growth") => growth::growth(),
        Some("compare") => compare_from(&arguments[1..]),
        _ => Err(anyhow::anyhow!(
            "usage: likelier-bench serve | growth | compare --python PYTHON --out DIR [--repeats N] [--only WORD,WORD] \
             [--before PROGRAM]"
        )),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Answers one request a line with one measurement.
fn serve() -> Result<()> {
    let mut bench = works::Bench::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let (Some(work), Some(threads)) = (words.next(), words.next()) else { break };
        let measured = bench.measure(work, threads.parse().context("the number of threads")?)?;
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &measured)?;
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}

fn compare_from(arguments: &[String]) -> Result<()> {
    let mut python = PathBuf::from("python3");
    let mut out = None;
    let mut before = None;
    let mut repeats = 5;
    let mut only = Vec::new();
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--python" => python = value.into(),
            [name, value] if name == "--out" => out = Some(PathBuf::from(value)),
            [name, value] if name == "--before" => before = Some(PathBuf::from(value)),
            [name, value] if name == "--only" => only = value.split(',').map(str::to_owned).collect(),
            [name, value] if name == "--repeats" => repeats = value.parse().context("--repeats")?,
            _ => bail!("unknown argument {pair:?}"),
        }
    }
    let out = out.context("give --out DIR")?;
    compare::compare(&compare::Comparison { python, out, before, repeats, only })
}
