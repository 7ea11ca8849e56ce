use std::collections::BTreeSet;
use std::fs;

use super::*;

#[test]
fn every_named_experiment_gives_the_jobs_of_its_cells() {
    let count =
        |name: &str, parts: &PartArguments| Experiment::find(name).unwrap().jobs(parts).unwrap().len();
    let all = PartArguments::default();
    // 4 data sets × 3 priors × (7 + 7 + 2 + 1 methods at the least) × 5 trials.
    assert!(count("table3", &all) >= 4 * 3 * 17 * 5);
    assert_eq!(count("figure2", &all), 2 * 2 * 4 * 5 * 5);
    let parts = PartArguments {
        datasets: vec!["mnist".into()],
        priors: vec!["0.5".into()],
        methods: vec!["Pcomp-ReLU".into()],
        trials: Some(2),
        ..PartArguments::default()
    };
    assert_eq!(count("table2", &parts), 2);
}

/// The settings of the first job of a data set and a method, as they are recorded.
fn recorded(experiment: &str, epochs: Option<u32>, dataset: Benchmark, method: Method) -> Table {
    let parts = PartArguments { trials: Some(1), epochs, ..PartArguments::default() };
    let jobs = Experiment::find(experiment).unwrap().jobs(&parts).unwrap();
    let found = jobs.iter().find(|job| job.dataset == dataset && job.method == method);
    found.unwrap().recorded.text.clone()
}

#[test]
fn a_data_set_and_a_variant_differ_from_the_defaults_in_what_they_state() {
    let of = |dataset, method| {
        let recorded = recorded("table2", None, dataset, method);
        (recorded["epochs"].as_integer(), recorded["weight_decay"].as_float())
    };
    assert_eq!(of(Benchmark::Mnist, Method::PcompRelu), (Some(200), Some(1e-5)));
    assert_eq!(of(Benchmark::Cifar10, Method::PcompRelu), (Some(200), Some(1e-3)));
    assert_eq!(of(Benchmark::Mnist, Method::Supervised), (Some(50), Some(1e-5)));
}

#[test]
fn epochs_that_are_asked_for_hold_for_the_recommended_configuration_too() {
    let of = |epochs, method| {
        let recorded = recorded("table2", epochs, Benchmark::Mnist, method);
        ["epochs", "recommended_epochs"].map(|key| recorded.get(key).and_then(Value::as_integer))
    };
    assert_eq!(of(None, Method::PairPosterior), [Some(200), None]);
    assert_eq!(of(Some(20), Method::PairPosterior), [Some(20), Some(20)]);
    assert_eq!(of(Some(20), Method::PcompTeacher), [Some(20), None]);
}

#[test]
fn an_unknown_key_or_a_part_that_is_not_there_is_refused() {
    let text = |settings: &str| {
        format!(
            "title = 't'\ndatasets = ['usps']\npriors = [0.5]\ntrials = 3\n[settings]\n{settings}\n[[variant]]\nname = \
             'v'\nabout = 'a'\nmethods = ['pcomp-relu']\n"
        )
    };
    let jobs = |settings| {
        Experiment::parse(&text(settings), "mine")
            .unwrap()
            .jobs(&PartArguments::default())
    };
    assert_eq!(jobs("epochs = 3").unwrap().len(), 3);
    let Err(error) = jobs("epocs = 3") else { panic!("a misspelt key was taken") };
    let said = error.to_string();
    assert!(said.starts_with("mine, settings of the variant v for usps: unknown field `epocs`"), "{said}");
    let Err(error) = Experiment::parse("title = 't'\npriors = 0.5", "mine") else { panic!("taken") };
    assert!(error.to_string().contains("mine: TOML parse error at line 2, column 10"), "{error}");
    let parts = PartArguments { methods: vec!["rank-pruning".into()], ..PartArguments::default() };
    let Err(error) = Experiment::parse(&text(""), "mine").unwrap().jobs(&parts) else { panic!("taken") };
    assert!(error.to_string().contains("rank-pruning"), "{error}");
}

/// Every archived run of this program, each with the digests that its rows name.
fn archived() -> Vec<(String, BTreeSet<String>)> {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reproduce/runs");
    let mut found = Vec::new();
    let mut folders = vec![runs];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("settings.toml") {
                let rows = fs::read_to_string(folder.join("raw.csv")).unwrap();
                let digest = |row: &str| row.split(',').nth(13)?.split(' ').nth(1).map(str::to_owned);
                let settings = fs::read_to_string(&path).unwrap();
                found.push((settings, rows.lines().skip(1).filter_map(digest).collect()));
            }
        }
    }
    found
}

#[test]
fn archived_settings_are_understood_and_keep_their_digest() {
    let archived = archived();
    assert!(archived.len() >= 10, "{}", archived.len());
    for (text, digests) in archived {
        let all: BTreeMap<String, Table> = toml::from_str(&text).unwrap();
        for digest in digests {
            let settings: Settings = all[&digest].clone().try_into().unwrap();
            assert_eq!(RecordedSettings::of(settings).unwrap().digest, digest);
        }
    }
}

#[test]
fn every_experiment_that_the_project_keeps_can_be_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for folder in ["experiments", "../../reproduce/robustness"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "toml") && !path.ends_with("default.toml") {
                let jobs = Experiment::find(path.to_str().unwrap())
                    .unwrap()
                    .jobs(&PartArguments::default());
                assert!(!jobs.unwrap().is_empty(), "{}", path.display());
                count += 1;
            }
        }
    }
    assert!(count >= 14, "{count}");
}
