//! `likelier label ITEMS`: opens the page.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier::Prior;
use likelier::words::count;
use likelier_label::{Catalogue, LabelError, Listening, Person, Server, Settings, Store};
use serde::Serialize;

use crate::terminal::{Result, ask_to_stop, mistake, print_json, print_text, tell};

#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(super) struct OpenArguments {
    /// The items: a table (CSV, TSV, JSON Lines, Parquet, NPY or NPZ), or a folder of images.
    #[arg(required = true)]
    items: Option<PathBuf>,
    /// The file for the answers [default: beside the items, with the ending .likelier-label].
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// What people are asked about two items.
    #[arg(long, help_heading = "Question", value_name = "TEXT")]
    question: Option<String>,
    /// What a positive item is called, such as "good".
    #[arg(long, help_heading = "Question", value_name = "NAME")]
    positive: Option<String>,
    /// What people should know before they begin.
    #[arg(long, help_heading = "Question", value_name = "TEXT")]
    instructions: Option<String>,
    /// The share of positives, if you know it; the live estimate and `train --answers` use it.
    #[arg(long, help_heading = "Question", value_name = "SHARE", allow_negative_numbers = true)]
    prior: Option<String>,
    /// The column that names the items [default: `id` if there is one, else rows are numbered from 0].
    #[arg(long, help_heading = "Items", value_name = "COLUMN")]
    id: Option<String>,
    /// The columns to show [default: all but ids, labels and groups].
    #[arg(long, help_heading = "Items", value_name = "COLUMN,…", value_delimiter = ',')]
    show: Option<Vec<String>>,
    /// The column that holds paths of images.
    #[arg(long, help_heading = "Items", value_name = "COLUMN")]
    image: Option<String>,
    /// The folder that these paths start from and stay in [default: that of the items].
    #[arg(long, help_heading = "Items", value_name = "DIR", requires = "image")]
    images: Option<PathBuf>,
    /// The columns that the live estimate is trained on [default: all but id, `label` and `group`].
    #[arg(long, help_heading = "Items", value_name = "COLUMN,…", value_delimiter = ',')]
    features: Option<Vec<String>>,
    /// Columns of text that it uses as categories.
    #[arg(long, help_heading = "Items", value_name = "COLUMN,…", value_delimiter = ',')]
    categories: Option<Vec<String>>,
    /// Columns of free text, whose words it learns from.
    #[arg(long, help_heading = "Items", value_name = "COLUMN,…", value_delimiter = ',')]
    text: Option<Vec<String>>,
    /// Columns that it does not use.
    #[arg(long, help_heading = "Items", value_name = "COLUMN,…", value_delimiter = ',')]
    exclude: Option<Vec<String>>,
    /// The file of items has changed, and its ids still mean the same items.
    #[arg(long, help_heading = "Items")]
    items_changed: bool,
    /// The share of pairs that a person is asked again, with the sides swapped [default: 0.1].
    #[arg(long, help_heading = "Pairs", value_name = "SHARE", allow_negative_numbers = true)]
    again: Option<f64>,
    /// The share of pairs that somebody else has answered [default: 0.1].
    #[arg(long, help_heading = "Pairs", value_name = "SHARE", allow_negative_numbers = true)]
    shared: Option<f64>,
    /// Draw the items that were shown least, so that all come equally often.
    #[arg(long, help_heading = "Pairs")]
    balanced: bool,
    /// Active mode: the share of new pairs that are chosen among items that the live estimate is unsure of, once there
    /// is one; 0.75 saves questions, 0 turns it off [default: 0].
    #[arg(long, help_heading = "Pairs", value_name = "SHARE", allow_negative_numbers = true)]
    active: Option<f64>,
    /// The number of answers that each person is asked for [default: 500].
    #[arg(long, help_heading = "Pairs", value_name = "N")]
    goal: Option<usize>,
    /// The seed of all random choices [default: another one at each start].
    #[arg(long, help_heading = "Pairs", value_name = "N")]
    seed: Option<u64>,
    /// Your name, as the owner of the answers [default: owner].
    #[arg(long, help_heading = "People", value_name = "NAME")]
    name: Option<String>,
    /// People who get a link each.
    #[arg(long, help_heading = "People", value_name = "NAME,…", value_delimiter = ',')]
    people: Vec<String>,
    /// The port; a free one is taken if it is in use.
    #[arg(long, help_heading = "Server", value_name = "N", default_value_t = 8765)]
    port: u16,
    /// The address to listen at.
    #[arg(long, help_heading = "Server", value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: IpAddr,
    /// Listen at an address that others can reach. Nothing is encrypted: docs/label.md shows safer ways.
    #[arg(long, help_heading = "Server")]
    open_to_network: bool,
    /// A name under which a proxy reaches the page.
    #[arg(long, help_heading = "Server", value_name = "NAME")]
    host: Vec<String>,
    /// Print where the page is as JSON, and go on.
    #[arg(long)]
    json: bool,
}

/// Where the page is, and for whom.
#[derive(Serialize)]
struct Opened {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: PathBuf,
    question: String,
    items: usize,
    answers: usize,
    links: Vec<Link>,
}

/// The link of a person; the owner's is the first.
#[derive(Serialize)]
struct Link {
    name: String,
    link: String,
}

impl Opened {
    fn text(&self) -> String {
        let mut text = format!(
            "{}\n  {}, answers so far: {}\n  {}\n",
            self.file.display(),
            count(self.items, "item"),
            self.answers,
            self.question
        );
        if let Some(owner) = self.links.first() {
            let _ = writeln!(text, "\nOpen your page:\n  {}", owner.link);
        }
        if self.links.len() > 1 {
            text.push_str("\nLinks for others, one each:\n");
        }
        for Link { name, link } in self.links.iter().skip(1) {
            let _ = writeln!(text, "  {name}  {link}");
        }
        text.push_str("\nCtrl-C stops; every answer is saved as it is given.\n");
        text
    }
}

impl OpenArguments {
    pub(super) fn run(&self) -> Result<()> {
        let Some(items) = &self.items else { return Err(mistake("the items are missing", "see --help")) };
        if items.extension().is_some_and(|end| end == "likelier-label") {
            return Err(mistake(
                format!("{} is a file of answers", items.display()),
                "give the items; the answers beside them are found",
            ));
        }
        let items =
            fs::canonicalize(items).map_err(|reason| LabelError::File { path: items.clone(), reason })?;
        if items.to_str().is_none() {
            return Err(mistake(
                format!(
                    "{}: this name is not Unicode, so the file of answers cannot hold it",
                    items.display()
                ),
                "rename the items, or the folder they are in",
            ));
        }
        let path = self.file.clone().unwrap_or_else(|| beside(&items));
        // The items are read before the file of answers is made: a mistake leaves nothing behind.
        let known = if path.exists() { Store::read(&path)?.settings()? } else { None };
        let mut settings = self.settings(&items, known.clone(), &path)?;
        let catalogue = Catalogue::read(&settings)?;
        let store = Store::open(&path)?;
        let answers = store.count()?;
        if let Some(known) = &known
            && known.checksum != catalogue.checksum()
        {
            self.check_items(&store, &catalogue)?;
        }
        catalogue.checksum().clone_into(&mut settings.checksum);
        store.set(&settings)?;
        let owner = store.people()?.into_iter().find(|person| person.owner);
        let owner = match owner {
            Some(owner) => owner,
            None => store.person(self.name.as_deref().unwrap_or("owner"), true)?,
        };
        for name in &self.people {
            store.person(name, false)?;
        }
        let listening = Listening {
            address: self.address,
            port: self.port,
            open_to_network: self.open_to_network,
            hosts: self.host.clone(),
        };
        let seed = match self.seed {
            Some(seed) => seed,
            None => Store::new_seed()?,
        };
        let mut opened = Opened {
            file: path.clone(),
            question: settings.question.clone(),
            items: catalogue.ids().len(),
            answers,
            links: Vec::new(),
        };
        self.warn(&catalogue);
        let server = Server::new(store, settings, catalogue, listening, seed)?;
        let at = server.address()?;
        let link = |person: &Person| Link {
            name: person.name.clone(),
            link: format!("http://{at}/#{}", person.token),
        };
        let others = server.people()?;
        let others = others.iter().filter(|person| !person.owner);
        opened.links = std::iter::once(&owner).chain(others).map(link).collect();
        // Whoever has read the link may stop the page.
        let stop = ask_to_stop();
        if self.json {
            print_json("label", &opened, &[])?;
        } else {
            print_text(&opened.text(), &[])?;
        }
        std::io::stdout().flush()?;
        server.run(stop)?;
        let file = path.display();
        tell(&format!(
            "stopped; the answers are in {file}\n  to train from them: likelier train --answers {file} --out model.likelier\n"
        ));
        Ok(())
    }

    /// What was stated before, with what is stated now.
    fn settings(&self, items: &Path, known: Option<Settings>, path: &Path) -> Result<Settings> {
        let fresh = known.is_none();
        let mut settings = known.unwrap_or_default();
        if let Some(question) = &self.question {
            if !fresh && *question != settings.question && Store::read(path)?.count()? > 0 {
                let asked = settings.question;
                return Err(LabelError::OtherQuestion { path: path.to_owned(), asked }.into());
            }
            settings.question.clone_from(question);
        } else if fresh {
            settings.question = match &self.positive {
                Some(positive) => format!("Which one is likelier to be {positive}?"),
                None => settings.question,
            };
        }
        for (stated, place) in
            [(&self.positive, &mut settings.positive), (&self.instructions, &mut settings.instructions)]
        {
            if let Some(stated) = stated {
                place.clone_from(stated);
            }
        }
        if let Some(prior) = &self.prior {
            settings.prior = Some(prior.parse::<Prior>()?.positive());
        }
        items.clone_into(&mut settings.items);
        settings.id = self.id.clone().or(settings.id);
        settings.show = self.show.clone().or(settings.show);
        settings.image = self.image.clone().or(settings.image);
        settings.features = self.features.clone().or(settings.features);
        settings.categories = self.categories.clone().unwrap_or(settings.categories);
        settings.text = self.text.clone().unwrap_or(settings.text);
        settings.exclude = self.exclude.clone().unwrap_or(settings.exclude);
        if let Some(images) = &self.images {
            let folder = fs::canonicalize(images);
            settings.images =
                Some(folder.map_err(|reason| LabelError::File { path: images.clone(), reason })?);
        }
        settings.again = share("--again", self.again.unwrap_or(settings.again))?;
        settings.shared = share("--shared", self.shared.unwrap_or(settings.shared))?;
        if settings.again + settings.shared > 0.9 {
            return Err(mistake(
                "--again and --shared leave almost no new pairs",
                "together they may be at most 0.9",
            ));
        }
        settings.balanced |= self.balanced;
        settings.active = share("--active", self.active.unwrap_or(settings.active))?;
        if settings.balanced && settings.active > 0.0 {
            return Err(mistake(
                "--active and --balanced draw new pairs in two ways",
                if self.balanced {
                    "leave one of them out; --active 0 turns active mode off"
                } else {
                    "this file of answers was begun with --balanced: leave --active out, or begin another with --file"
                },
            ));
        }
        settings.goal = self.goal.unwrap_or(settings.goal).max(1);
        Ok(settings)
    }

    /// Whether the answers can still be about these items.
    fn check_items(&self, store: &Store, catalogue: &Catalogue) -> Result<()> {
        let shown = store.shown_items()?;
        let gone: Vec<&str> = shown
            .iter()
            .map(|(_, name)| &name[..])
            .filter(|name| catalogue.ids().find(name).is_none())
            .collect();
        if self.items_changed && gone.is_empty() || shown.is_empty() {
            return Ok(());
        }
        let example = gone.first().copied().unwrap_or_default().to_owned();
        let items = catalogue.path().to_owned();
        Err(LabelError::ItemsChanged { items, gone: gone.len(), example }.into())
    }

    fn warn(&self, catalogue: &Catalogue) {
        if catalogue.ids().are_numbers() {
            tell(
                "warning: the items have no column `id`, so they are known by their row numbers\n  Do not add, remove or move rows \
                 while there are answers; --id names another column.\n",
            );
        }
        let missing = catalogue.missing_images();
        if let Some(first) = missing.first() {
            tell(&format!(
                "warning: {} of the first images cannot be shown, such as {first}\n  Paths start from the folder of the items, or \
                 from --images DIR.\n",
                missing.len()
            ));
        }
        if let Some(warning) = reached_by_others(self.address) {
            tell(warning);
        }
    }
}

/// What to say of an address that others can reach.
fn reached_by_others(address: IpAddr) -> Option<&'static str> {
    let warning = "warning: others on the network can reach this page, and nothing is encrypted: whoever listens can read the \
                   links, the items and the answers\n  An SSH tunnel or a TLS proxy is safer (docs/label.md).\n";
    (!address.is_loopback()).then_some(warning)
}

fn share(what: &'static str, share: f64) -> Result<f64> {
    if (0.0..=0.9).contains(&share) {
        return Ok(share);
    }
    Err(LabelError::Setting { what, value: share.to_string(), allowed: "a share from 0 to 0.9" }.into())
}

/// `items.csv` → `items.likelier-label`, also for `items.csv.gz`.
fn beside(items: &Path) -> PathBuf {
    let mut path = items.to_owned();
    if !items.is_dir() {
        if path.extension().is_some_and(|end| end == "gz" || end == "xz") {
            path.set_extension("");
        }
        path.set_extension("");
    }
    let mut name = path.into_os_string();
    name.push(".likelier-label");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_others_can_reach_are_warned_of() {
        let warned = |address: &str| reached_by_others(address.parse().unwrap()).is_some();
        assert_eq!(["127.0.0.1", "127.0.0.9", "::1"].map(warned), [false; 3]);
        assert_eq!(["0.0.0.0", "192.168.1.5", "::", "fe80::1"].map(warned), [true; 4]);
    }
}
