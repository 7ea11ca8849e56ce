//! What to do about each kind of thing that can be wrong with a file.

use std::io;

use likelier::Error;
use likelier_tables::{CellProblem, FormatProblem, TableError, UnreadFormat};

use super::advice::Advice;
use super::failure::Hint;
use super::hints::{NONE, on_file};

impl Hint for TableError {
    fn hint(&self) -> Advice {
        match self {
            Self::Unusable(error) => layout(error),
            Self::File { reason, .. } => on_file(reason.kind()),
            Self::Format { problem, .. } => format(problem),
            Self::Cell { name, problem: CellProblem::NotANumber(_), .. } if name == "likelier" => {
                "this looks like a file of comparisons: are --items and --comparisons the wrong way round?".into()
            }
            Self::Cell { problem, .. } => cell(problem),
            Self::MissingCells { .. } => Advice::any_of([
                "leave out --missing refuse, so that numbers get the median and categories one of their own",
                "fill in the values",
            ]),
            Self::NoSuchColumn { missing, .. }
                if missing.iter().any(|name| name == "likelier" || name == "other") =>
            {
                Advice::any_of([
                    "comparisons have the columns likelier and other, which hold ids of items; if yours have other names, \
                     say --columns likelier=COLUMN,other=COLUMN",
                ])
                .otherwise("check that this is the right file")
            }
            Self::NoSuchColumn { missing, present, .. } => closest(missing, present).unwrap_or_else(|| {
                "check the spelling, and that this is the right file; `likelier inspect` lists what a model takes"
                    .into()
            }),
            Self::SameId { .. } => {
                Advice::any_of(["give every item an id of its own", "name another column with --id"])
            }
            Self::ComparedWithItself { .. } => {
                "remove the line: a comparison is between two items".into()
            }
            Self::UnknownId { .. } => Advice::any_of([
                "check that items and comparisons belong together",
                "say which column names the items with --id",
            ]),
            _ => NONE.into(),
        }
    }

    fn system(&self) -> Option<io::ErrorKind> {
        match self {
            Self::File { reason, .. } => Some(reason.kind()),
            _ => None,
        }
    }
}

/// The column that was probably meant.
fn closest(missing: &[String], present: &[String]) -> Option<Advice> {
    let near = |name: &String| {
        let scored = present.iter().map(|other| {
            let (name, other_name) = (name.to_lowercase(), other.to_lowercase());
            (strsim::jaro_winkler(&name, &other_name), other)
        });
        scored
            .filter(|(alike, _)| *alike > 0.85)
            .max_by(|one, two| one.0.total_cmp(&two.0))
    };
    missing
        .iter()
        .find_map(near)
        .map(|(_, other)| format!("did you mean '{other}'?").into())
}

/// On what was said about a table, and on what the library refuses of it.
fn layout(error: &Error) -> Advice {
    let Error::Setting { name, .. } = error else { return error.hint() };
    match *name {
        "a column" => Advice::any_of([
            "name each column once: as the id, as the label, as a feature, or among those to --exclude",
        ])
        .otherwise("name each column once: as the id, as the label or as a feature"),
        "a text" => Advice::any_of(["name it among the --features too", "leave it out of --text"])
            .otherwise("check which columns are features"),
        "a date" => Advice::any_of(["name it among the --features too", "leave it out of --dates"])
            .otherwise("check which columns are features"),
        "the size of images" => Advice::any_of(["give --image CHANNELS,HEIGHT,WIDTH, such as 3,32,32"])
            .otherwise("train the model on square images"),
        "a category" => {
            Advice::any_of(["name it among the --features too", "leave it out of --categories"])
                .otherwise("check which columns are features")
        }
        "what a column of comparisons holds" => {
            "say what it holds first, then what it is called: --columns likelier=winner,other=loser".into()
        }
        "a column of a LIBSVM file" | "a column of a folder of images" => {
            "leave out the option that names this column".into()
        }
        "a delimiter" => Advice::any_of(["give --delimiter another character, such as ';' or tab"]),
        "the ids of items" => "give every item an id of its own".into(),
        _ => error.hint(),
    }
}

/// On a file as a whole.
#[allow(clippy::too_many_lines, reason = "one arm for each kind")]
fn format(problem: &FormatProblem) -> Advice {
    match problem {
        FormatProblem::Empty => {
            "check that the file was written to its end: a table has a line with the names of its columns, then its rows"
        }
        FormatProblem::NoRows => "only the names of the columns are there: check that the rows were exported too",
        FormatProblem::NoComparisons => {
            "each line below the header names two items, the likelier one and the other: check that they were exported too"
        }
        FormatProblem::NoLabel => {
            "fill in the column `label` for some items: 1 or 0, true or false, yes or no"
        }
        FormatProblem::NoFeatures => "give a table with columns besides id, label and group",
        FormatProblem::NoWeight => {
            "give at least one comparison a weight above 0, or remove the column `weight`"
        }
        FormatProblem::NoHeader { .. } => "add a first line that names the columns: likelier,other",
        FormatProblem::SameName { .. } => "rename one of the two columns",
        FormatProblem::TooWide { .. } => {
            "check what separates the columns and, in a LIBSVM file, the largest index"
        }
        FormatProblem::TooManyRows { .. } => "take a sample of the rows: far fewer are enough to train on",
        FormatProblem::TooManyValues { .. } => {
            return Advice::any_of(["leave the column out with --exclude", "group its values into fewer"]);
        }
        FormatProblem::TooLong { .. } => "decompress the file first: a plain one may be of any length",
        FormatProblem::LongLine { .. } => "check that the file has line breaks, and one row a line",
        FormatProblem::LongRecord { .. } => "look near this line for a quotation mark that is not closed",
        FormatProblem::Fields { .. } => {
            return Advice::any_of([
                "correct the line",
                "put quotation marks around texts that hold the delimiter",
                "name another delimiter with --delimiter",
            ]);
        }
        FormatProblem::BlankLine => "remove the blank line, or what follows it",
        FormatProblem::NotUtf8 => "save the table as UTF-8 text",
        FormatProblem::CompressedWhole(compression) => {
            let program = match *compression {
                "xz" => "unxz",
                "zstd" => "unzstd",
                _ => "gunzip",
            };
            return format!("decompress it first, with {program}").into();
        }
        FormatProblem::Compression { .. } => {
            "the file was cut short or damaged on its way: copy it again from its source"
        }
        FormatProblem::NotAsNamed { .. } => {
            "if it is of another format, give it the extension of that format; else save it again"
        }
        FormatProblem::Unread(format) => return unread(*format),
        FormatProblem::NoSuchArray { name, known } => {
            return closest(std::slice::from_ref(name), known)
                .unwrap_or_else(|| Advice::any_of(["give --array one of these names"]).otherwise("name one of these"));
        }
        FormatProblem::SeveralArrays { .. } => {
            return Advice::any_of(["say which one with --array", "save the one that is meant as an NPY file"]);
        }
        FormatProblem::ArrayKind { .. } => {
            "save it as numbers: numpy.save(FILE, array.astype('float32')), or as a table: DataFrame.to_parquet(FILE)"
        }
        FormatProblem::ArrayShape(_) => "save an array of two dimensions, with one row for each item",
        FormatProblem::NpyVersion(_) => "save it again with numpy.save",
        FormatProblem::TextColumn { .. } => {
            return Advice::any_of([
                "name it with --text if it holds words",
                "with --categories if it holds a few values",
                "leave it out with --exclude",
                "write numbers into it",
            ]);
        }
        FormatProblem::ListColumn { .. } => {
            return Advice::any_of([
                "leave it out with --exclude",
                "write what the lists hold into columns of their own",
            ]);
        }
        FormatProblem::TimeColumn { .. } => {
            return Advice::any_of(["name it with --dates", "leave it out with --exclude"])
                .otherwise("write it as a number, such as the days since some day");
        }
        FormatProblem::ColumnKind { .. } => {
            return Advice::any_of(["leave it out with --exclude", "convert it to float64 or int64"]);
        }
        FormatProblem::ColumnCompression(_) => "write it again: DataFrame.to_parquet(FILE, compression='zstd')",
        FormatProblem::OtherLength { .. } => {
            "row by row the two tables belong together: check that both are whole"
        }
        FormatProblem::OtherForm { .. } => "save both in the same format, with the same type of numbers",
        FormatProblem::OtherFeatures { .. } => {
            return Advice::any_of([
                "check that this is the right file (`likelier inspect` shows what the model takes)",
                "say how its columns are counted with --first-index",
            ]);
        }
        FormatProblem::OtherWidth { .. } => {
            "give the columns that the model was trained on, in that order; `likelier inspect` shows what it takes"
        }
        FormatProblem::JsonArray => "write one object a line, with jq -c '.[]' or DataFrame.to_json(FILE, orient='records', lines=True)",
        FormatProblem::JsonLine(_) => "each line is one object, such as {\"id\": \"a\", \"size\": 1.5}: correct the line",
        FormatProblem::NoImages => "name a file, or a folder that holds .png or .jpg files itself, not in folders inside it",
        FormatProblem::OtherImage => "save it as PNG or JPEG, or move it out of the folder",
        FormatProblem::NotAnImage => "open it in a viewer: it may be cut short, or of another format; or move it out of the folder",
        FormatProblem::DamagedImage(_) => "copy the image again from its source, or move it out of the folder",
        FormatProblem::ImageName => "give the image a name in plain letters",
        FormatProblem::NotToBeSeen => "give the items as CSV or Parquet, with columns that people can judge",
        FormatProblem::Card(_) => "correct the file, or remove it and state with options what it said",
        FormatProblem::Damaged(_) => "the file may be cut short or damaged: compare it with its source",
        _ => NONE,
    }
    .into()
}

/// On a format that is not read: how to get one that is.
fn unread(format: UnreadFormat) -> Advice {
    match format {
        UnreadFormat::Excel => "in Excel, save the sheet as CSV UTF-8",
        UnreadFormat::OldExcel => "open it in a spreadsheet program, and save the sheet as CSV UTF-8",
        UnreadFormat::OpenDocument => "in LibreOffice, save the sheet as Text CSV, with the character set UTF-8",
        UnreadFormat::Zip => "unpack it, and give the table that is in it",
        UnreadFormat::Archive => "unpack it with the program that made it, and give the table that is in it",
        UnreadFormat::Arrow => "write it as Parquet: pandas.read_feather(FILE).to_parquet('table.parquet')",
        UnreadFormat::Orc => "write it as Parquet: pandas.read_orc(FILE).to_parquet('table.parquet')",
        UnreadFormat::Avro => "write it as Parquet or CSV with the program that made it",
        UnreadFormat::EncryptedParquet => "write it again without encryption",
        UnreadFormat::Sqlite => {
            return Advice::any_of([
                "give it as --answers if `likelier label` wrote it",
                "write a table of it as CSV: sqlite3 -header -csv FILE 'SELECT * FROM …' > table.csv",
            ]);
        }
        UnreadFormat::Hdf5 => "write it as Parquet: pandas.read_hdf(FILE).to_parquet('table.parquet')",
        UnreadFormat::Pickle => {
            "write it as Parquet: pandas.read_pickle(FILE).to_parquet('table.parquet'), if you trust who made it: a pickle can \
             run programs"
        }
        UnreadFormat::R => "in R, write it as CSV: write.csv(data, 'table.csv', row.names = FALSE)",
        UnreadFormat::Matlab => "in MATLAB, write the table as CSV: writetable(data, 'table.csv')",
        UnreadFormat::Stata => "in Stata, write it as CSV: export delimited using table.csv",
        UnreadFormat::Spss => "in SPSS, save it as CSV",
        UnreadFormat::Utf16 => "save it as UTF-8; Excel calls that CSV UTF-8",
        UnreadFormat::Brotli => "decompress it first: brotli -d FILE",
        UnreadFormat::Bzip2 => "decompress it first: bunzip2 FILE",
        UnreadFormat::WebPage => {
            "a download has probably gone wrong: open its address in a browser, and save the file itself"
        }
        UnreadFormat::Pdf => "copy the table into a spreadsheet, and save it as CSV",
        UnreadFormat::Picture => "give a table in which each picture is a row",
        UnreadFormat::Model => "give a table there, and the model where one is asked for",
        _ => NONE,
    }
    .into()
}

/// On one cell.
fn cell(problem: &CellProblem) -> Advice {
    match problem {
        CellProblem::Missing => "fill in the value, or leave out the row",
        CellProblem::NotANumber(_) => {
            return Advice::any_of([
                "name columns of words with --text",
                "those of a few values with --categories",
                "leave them out with --exclude",
                "write a number there",
            ]);
        }
        CellProblem::NotADate(_) => "write the year first, then month and day, or leave the cell empty if it is not known",
        CellProblem::Nested => "give its parts keys of their own, or leave the key out",
        CellProblem::NotAList(_) => "give every line a list of the same length, or null",
        CellProblem::NotFinite(_) => "write a finite number there, or leave the cell empty if it is not known",
        CellProblem::TooLarge(_) => {
            "write the column in a larger unit, or its logarithm; leave the cell empty if it is wrong"
        }
        CellProblem::NotUtf8 => "save the file as UTF-8 text",
        CellProblem::Quote(_) => "close the quotation mark; one that belongs to the text is written twice",
        CellProblem::NegativeWeight(_) => {
            "write a weight of 0 or more; to say the opposite, exchange the two items"
        }
        CellProblem::NotATie(_) => "write 1 for a tie, and 0 or nothing for none",
        CellProblem::NotAPropensity(_) => {
            "write the propensity that `likelier next` gave the pair, or leave the cell empty if it was drawn uniformly"
        }
        CellProblem::NotASide(_) => "write left or right, or leave the cell empty",
        CellProblem::NoQuestion => "name the question of every row, or leave the column out if there is only one",
        CellProblem::NotAPile(_) => "write likelier or other",
        CellProblem::NotALabel(_) => "write one of these, or leave the cell empty if the label is not known",
        CellProblem::OtherLabel(_) => "remove the line that is wrong",
        CellProblem::RowOrId(_) => {
            "if ids are meant, add the header likelier,other; if row numbers are, call the column `id` of the items \
             something else"
        }
        CellProblem::ListLength { .. } => "give all lists the same length, or leave the cell empty",
        CellProblem::NotAllowed(_) => "correct the line; it has the form: label index:value index:value …",
    }
    .into()
}
