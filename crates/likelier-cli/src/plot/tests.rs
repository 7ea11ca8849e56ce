use super::*;

/// Whether every element that is opened is closed, in the right order, and attributes are quoted.
fn is_well_formed(markup: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>') else { return false };
        let tag = &rest[start + 1..start + end];
        if tag.contains('<') || !tag.matches('"').count().is_multiple_of(2) {
            return false;
        }
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[start + end + 1..];
    }
    open.is_empty()
}

fn learning() -> Plot {
    Plot::new("Risk", "epoch", "risk (nats)", "Lower is better.")
}

#[test]
fn a_small_plot_is_exactly_this() {
    let plot = learning().line(Series::new("risk", vec![(0.0, 1.0), (1.0, 0.5)]));
    assert_eq!(
        plot.to_figure(),
        include_str!("tests/small.txt"),
        "look at the new picture before changing the old one"
    );
}

#[test]
fn every_kind_of_mark_makes_well_formed_markup() {
    let strange = "<script>alert('&\"')</script>";
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.0, -1.5, 1e-12];
    let points: Vec<(f64, f64)> = values.iter().flat_map(|x| values.map(|y| (*x, y))).collect();
    let errors = points.clone();
    let everything = Plot::new(strange, Axis::new(strange).logarithmic(), strange, strange)
        .line(Series::new(strange, points.clone()).with_errors(errors))
        .line(Series::new("b", points).unjoined())
        .steps("c", vec![0.0, f64::NAN, 2.0], vec![1.0, 2.0])
        .steps("d", vec![1.0, 2.0, 3.0], vec![1.0, 2.0])
        .interval(strange, f64::NAN, 0.0, f64::INFINITY)
        .bar(strange, -1.0)
        .rule(Rule::At(f64::NAN), strange)
        .rule(Rule::At(1.0), strange)
        .rule(Rule::Level(0.0), strange)
        .rule(Rule::Diagonal, strange);
    let panels = Panels::new(strange, strange, vec![everything.clone(), learning()]);
    for markup in [everything.to_figure(), panels.to_figure(), panels.columns(2).to_svg()] {
        assert!(is_well_formed(&markup), "{markup}");
        assert!(
            !markup.contains("<script") && !markup.contains("NaN") && !markup.contains("inf"),
            "{markup}"
        );
    }
    assert!(!is_well_formed("<a><b></a></b>") && !is_well_formed("<a>"));
}

#[test]
fn an_empty_plot_says_so_and_one_with_a_value_does_not() {
    assert!(learning().to_figure().contains("nothing to show"));
    assert!(
        learning()
            .line(Series::new("", vec![(f64::NAN, 1.0)]))
            .to_figure()
            .contains("nothing to show")
    );
    assert!(!learning().bar("a", 0.0).to_figure().contains("nothing to show"));
    assert!(Panels::new("none", "", Vec::new()).to_svg().ends_with("</svg>\n"));
}

#[test]
fn a_gap_in_the_numbers_is_a_gap_in_the_line() {
    let plot = learning().line(Series::new("", vec![(0.0, 0.0), (1.0, f64::NAN), (2.0, 0.0), (3.0, 1.0)]));
    let figure = plot.to_figure();
    let path = figure
        .split("class=\"line s0\" d=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 1), "{path}");
}

#[test]
fn series_differ_without_colour_and_keep_their_look_across_panels() {
    let series = |name: &str| Series::new(name, vec![(1.0, 1.0)]);
    let methods = ["one", "two", "three", "four", "five", "six", "seven"];
    let looks: Vec<(String, String)> = (0..methods.len())
        .map(|look| {
            let key = draw::key(look, layout::MarkKind::Line, 0.0, 0.0);
            let shape = key.lines().nth(1).unwrap();
            let colour = format!("{}\"", look % 6);
            (key.lines().next().unwrap().replace(&colour, ""), shape.replace(&colour, ""))
        })
        .collect();
    for (at, look) in looks.iter().enumerate() {
        assert!(!looks[..at].contains(look), "{look:?}");
    }
    // The second panel lacks the first series; the other one still has its own marker there.
    let first = Plot::new("a", "x", "y", "").line(series("one")).line(series("two"));
    let second = Plot::new("b", "x", "y", "").line(series("two"));
    let figure = Panels::new("", "", vec![first, second]).to_figure();
    assert_eq!(figure.matches("<circle").count(), 2, "one in the legend, one in the first panel");
    assert_eq!(figure.matches("h6v6h-6Z").count(), 3);
}

#[test]
fn two_piles_overlap_as_an_area_and_a_dashed_outline() {
    let plot = Plot::new("Scores", "score", "share of the pile", "")
        .steps("likelier", vec![0.0, 1.0, 2.0], vec![0.25, 0.75])
        .steps("other", vec![0.0, 1.0, 2.0], vec![0.75, 0.25]);
    let figure = plot.to_figure();
    assert_eq!(figure.matches("class=\"area f0\"").count(), 2, "legend and plot");
    assert_eq!(figure.matches("class=\"line s1\" stroke-dasharray=\"7 4\"").count(), 2);
    assert!(!figure.contains("area f1"));
}

#[test]
fn a_file_of_its_own_has_its_colours_title_and_caption_and_needs_nothing_else() {
    let plot = learning().line(Series::new("", vec![(0.0, 1.0), (1.0, 0.5)]));
    let svg = Panels::new("Risk", "Lower is better.", vec![plot]).to_svg();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    for part in
        ["prefers-color-scheme: dark", ">Risk</text>", ">Lower is better.</text>", ">risk (nats)</text>"]
    {
        assert!(svg.contains(part), "{part}");
    }
    assert!(!svg.contains("href") && !svg.contains("url("));
}
