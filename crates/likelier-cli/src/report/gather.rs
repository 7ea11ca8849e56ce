//! From a trained model and what it was trained on to the record.

use likelier::estimate::diagnosis::Diagnosis;
use likelier::estimate::metrics::RocPoint;
use likelier::model::Architecture;
use likelier::{Assessment, Fitted, Rows, Warning};
use likelier_tables::Ids;

use super::example::Examples;
use super::image::ImageShape;
use super::inputs::InputFile;
use super::record::{FeatureWeight, Histogram, Record};
use crate::terminal::Result;
use crate::trained::Trained;

/// The most bins of a histogram, bins of predicted probability, points of a curve, weights of a linear model.
const BINS: usize = 30;
const CALIBRATION_BINS: usize = 5;
const POINTS: usize = 60;
const WEIGHTS: usize = 12;

/// What a report is made from.
pub(crate) struct ReportSources<'a> {
    pub(crate) trained: &'a Trained<'a>,
    pub(crate) fitted: &'a Fitted,
    pub(crate) rows: &'a Rows<'a>,
    pub(crate) ids: &'a Ids,
    pub(crate) image: Option<ImageShape>,
    /// The files that were read; none where they were no files.
    pub(crate) inputs: Vec<InputFile>,
    /// What gives the same model again.
    pub(crate) command_line: String,
}

impl<'a> ReportSources<'a> {
    /// All numbers of a run on a day.
    pub(super) fn gather(&'a self, date: String) -> Result<Record<'a>> {
        let fitted = self.fitted;
        let assessment = fitted.assessment.as_ref();
        let probability = fitted.classifier.probability();
        Ok(Record {
            trained: self.trained,
            version: env!("CARGO_PKG_VERSION"),
            command_line: self.command_line.clone(),
            date,
            inputs: &self.inputs,
            prior_estimator: fitted.warnings.iter().find_map(|warning| match warning {
                Warning::PriorEstimated { estimator, .. } => Some(*estimator),
                _ => None,
            }),
            paired: fitted.paired,
            learning: &fitted.epochs,
            diagnosis: fitted.diagnosis.as_ref(),
            findings: fitted.diagnosis.as_ref().map(Diagnosis::findings).unwrap_or_default(),
            protocol_test: assessment.and_then(|assessment| assessment.protocol_test.as_ref()),
            roc: assessment.map_or(Ok(Vec::new()), curve)?,
            calibration: match assessment {
                Some(assessment) => assessment.calibration_curve(&probability, CALIBRATION_BINS)?,
                None => Vec::new(),
            },
            probability,
            calibrated: fitted.calibrated,
            histogram: histogram(&fitted.pile_scores, assessment.is_some()),
            weights: self.weights(),
            importance: if self.has_names() { fitted.importance(self.rows)? } else { None },
            images: !self.has_names(),
            examples: Examples::new(&fitted.classifier, self.rows, self.ids, self.image)?,
        })
    }

    /// Pixels have no names worth reading.
    fn has_names(&self) -> bool {
        let images = matches!(self.fitted.classifier.architecture(), Architecture::ResNet(_));
        self.image.is_none() && !images
    }

    /// The weights of scaled features, so that they can be compared.
    fn weights(&self) -> Vec<FeatureWeight> {
        let classifier = &self.fitted.classifier;
        if *classifier.architecture() != Architecture::Linear || !self.has_names() {
            return Vec::new();
        }
        let weights = &classifier.weights().parameters;
        let mut weights: Vec<FeatureWeight> = classifier
            .features()
            .names()
            .zip(weights)
            .map(|(feature, weight)| FeatureWeight { feature, weight: f64::from(*weight) })
            .collect();
        weights.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        weights.truncate(WEIGHTS);
        weights
    }
}

/// The ROC curve at so many points as can be seen.
fn curve(assessment: &Assessment) -> Result<Vec<RocPoint>> {
    let all = assessment.roc()?;
    Ok(spread(all.len(), POINTS).map(|at| all[at]).collect())
}

/// Up to `most` of `count` places, evenly, both ends among them.
pub(super) fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let shown = count.min(most);
    (0..shown).map(move |at| at * (count - 1) / (shown - 1).max(1))
}

fn histogram(scores: &[Vec<f32>; 2], held_out: bool) -> Option<Histogram> {
    let mut all: Vec<f32> = scores.iter().flatten().copied().collect();
    all.sort_unstable_by(f32::total_cmp);
    let at = |share: f64| Some(f64::from(*all.get((share * (all.len().max(1) - 1) as f64) as usize)?));
    // Some scores far away should not press all others into one bin.
    let (quarter, three_quarters) = (at(0.25)?, at(0.75)?);
    let reach = 2.5 * (three_quarters - quarter);
    let (low, high) = (at(0.0)?.max(quarter - reach), at(1.0)?.min(three_quarters + reach));
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    if !(high - low).is_finite() {
        return None;
    }
    // Few scores would make a comb of many bins.
    let bins = ((2.0 * (all.len() as f64).cbrt()) as usize).clamp(5, BINS);
    let width = (high - low) / bins as f64;
    let shares = |scores: &Vec<f32>| {
        let mut counts = vec![0.0; bins];
        for score in scores {
            let bin = ((f64::from(*score) - low) / width).clamp(0.0, bins as f64 - 1.0);
            counts[bin as usize] += 1.0 / scores.len() as f64;
        }
        counts
    };
    let edges = (0..=bins).map(|bin| low + bin as f64 * width).collect();
    Some(Histogram { held_out, edges, shares: [shares(&scores[0]), shares(&scores[1])] })
}

/// The command as a shell takes it.
pub(crate) fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    let quoted = |(at, argument): (usize, String)| {
        let argument = match (at, argument.rsplit(['/', '\\']).next()) {
            (0, Some(name)) => name.to_owned(),
            _ => argument,
        };
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    arguments.enumerate().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_where_a_shell_needs_it() {
        let arguments = ["/usr/bin/likelier", "train", "--out", "my model", "it's", "a;b", "0.5", ""];
        assert_eq!(
            command_line(arguments.into_iter().map(str::to_owned)),
            r"likelier train --out 'my model' 'it'\''s' 'a;b' 0.5 ''"
        );
    }

    #[test]
    fn a_histogram_holds_every_score_and_one_outlier_does_not_stretch_it() {
        let mut likelier: Vec<f32> = (0..1000).map(|at| at as f32 / 1000.0).collect();
        likelier.push(1e9);
        let found = histogram(&[likelier, vec![0.25; 10]], true).unwrap();
        assert!(found.edges.last() < Some(&2.1), "{:?}", found.edges);
        for pile in &found.shares {
            assert!((pile.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert_eq!(found.shares[1].iter().filter(|share| **share > 0.0).count(), 1);
        let flat = histogram(&[vec![2.0; 3], vec![2.0; 3]], true).unwrap();
        assert_eq!((flat.edges[0], flat.edges[5], flat.edges.len()), (1.5, 2.5, 6));
        assert!(histogram(&[Vec::new(), Vec::new()], false).is_none());
    }

    #[test]
    fn few_points_are_all_shown_and_many_from_end_to_end() {
        assert_eq!(spread(3, 60).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(1, 60).collect::<Vec<_>>(), [0]);
        assert_eq!(spread(0, 60).count(), 0);
        let many: Vec<usize> = spread(1001, 60).collect();
        assert_eq!((many.len(), many[0], many[59]), (60, 0, 1000));
    }
}
