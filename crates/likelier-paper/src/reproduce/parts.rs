//! Which parts of an experiment are asked for.

use clap::Args;
use likelier_cli::terminal::{Result, mistake};

#[derive(Args, Default)]
#[command(next_help_heading = "Parts")]
pub(super) struct PartArguments {
    /// Only these data sets.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(super) datasets: Vec<String>,
    /// Only these priors.
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',')]
    pub(super) priors: Vec<String>,
    /// Only these methods.
    #[arg(long, value_name = "METHOD,…", value_delimiter = ',')]
    pub(super) methods: Vec<String>,
    /// Only these variants.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(super) variants: Vec<String>,
    /// How many trials of each.
    #[arg(long, value_name = "N")]
    pub(super) trials: Option<u64>,
    /// How many epochs, which makes it another experiment.
    #[arg(long, value_name = "N")]
    pub(super) epochs: Option<u32>,
}

impl PartArguments {
    /// The flags that were given.
    pub(super) fn as_typed(&self) -> String {
        let Self { datasets, priors, methods, variants, trials, epochs } = self;
        let lists =
            [("datasets", datasets), ("priors", priors), ("methods", methods), ("variants", variants)]
                .map(|(flag, values)| (flag, (!values.is_empty()).then(|| values.join(","))));
        let numbers = [
            ("trials", trials.map(|number| number.to_string())),
            ("epochs", epochs.map(|n| n.to_string())),
        ];
        let given = lists.into_iter().chain(numbers);
        given
            .filter_map(|(flag, value)| Some(format!(" --{flag} {}", value?)))
            .collect()
    }
}

/// Those of `all` that are asked for; all, if nothing is said.
pub(super) fn those<T: PartialEq>(
    all: &[String],
    asked: &[String],
    what: &str,
    read: impl Fn(&str) -> Result<T>,
) -> Result<Vec<T>> {
    let known = all.iter().map(|name| read(name)).collect::<Result<Vec<T>>>()?;
    if asked.is_empty() {
        return Ok(known);
    }
    let wanted = asked.iter().map(|name| read(name)).collect::<Result<Vec<T>>>()?;
    for (name, one) in asked.iter().zip(&wanted) {
        if !known.contains(one) {
            return Err(mistake(
                format!("the {what} {name} is not part of this experiment, which has {}", all.join(", ")),
                "leave the flag out for all of it, or write an experiment of your own as a .toml file",
            ));
        }
    }
    Ok(known.into_iter().filter(|one| wanted.contains(one)).collect())
}
