//! `likelier completions` and `likelier man`: what shells and `man` know of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Cli;
use crate::terminal::{About, NewFile, Result};

/// Print a script that lets your shell complete commands and options.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier completions bash > ~/.local/share/bash-completion/completions/likelier
  likelier completions zsh > ~/.zfunc/_likelier
  likelier completions fish > ~/.config/fish/completions/likelier.fish")]
pub(crate) struct CompletionsVerb {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Write the manual pages, one for each verb.
#[derive(Args)]
#[command(after_help = "Example:
  likelier man --out ~/.local/share/man/man1 && man likelier-train")]
pub(crate) struct ManVerb {
    /// The folder to write to; it is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl CompletionsVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "likelier", &mut script);
        Ok(io::stdout().lock().write_all(&script)?)
    }
}

impl ManVerb {
    pub(crate) fn run(&self) -> Result<()> {
        fs::create_dir_all(&self.out).about(|| format!("cannot make {}", self.out.display()))?;
        let mut command = Cli::command();
        command.build();
        self.write(command)
    }

    /// The page of a command, and those of the commands below it.
    fn write(&self, command: Command) -> Result<()> {
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            self.write(below.clone())?;
        }
        // After `build` a command knows what it is called: likelier-data-list.
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        let out = NewFile::create(&self.out.join(format!("{name}.1")), [])?;
        out.finish(|file| Ok(file.write_all(&page)?))
    }
}
