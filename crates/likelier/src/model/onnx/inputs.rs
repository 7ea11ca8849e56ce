//! From what a file's columns hold to the features that a network takes.

use super::proto::{Attribute, DOUBLE, FLOAT, STRING, ValueInfo};
use super::{Graph, INNER, LABEL, PROBABILITY, SCORE};
use crate::data::{Column, Features, MISSING_TEXTS, NumberRule};
use crate::model::{Scaling, ScalingKind};

const FEATURES: &str = "features";

impl Graph {
    /// Declares the inputs and puts their values into the model's order.
    pub(super) fn inputs(&mut self, features: &Features) -> String {
        let rules: Vec<NumberRule> = features.numbers().map(|(_, _, rule)| *rule).collect();
        let mut pieces = if rules.is_empty() { Vec::new() } else { self.numbers(&rules) };
        // Where each feature of the model is: among numbers, then where they are missing, then category after category.
        let mut order = Vec::new();
        let (mut next_number, mut next_missing) = (0, rules.len());
        let mut next_value = rules.len() + rules.iter().filter(|rule| rule.missing).count();
        for column in features.columns() {
            match column {
                Column::Number { rule, .. } => {
                    order.push(next_number);
                    next_number += 1;
                    if rule.missing {
                        order.push(next_missing);
                        next_missing += 1;
                    }
                }
                Column::Category { name, values } => {
                    let input = self.text_input(name);
                    if values.is_empty() {
                        continue;
                    }
                    pieces.push(self.one_hot(name, &input, values));
                    order.extend(next_value..next_value + values.len());
                    next_value += values.len();
                }
                // Refused before.
                Column::Text { .. } => {}
            }
        }
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let together = match pieces[..] {
            [one] => one.to_owned(),
            _ => self.add("Concat", &pieces, vec![Attribute::int("axis", 1)]),
        };
        if order.is_sorted() {
            return together;
        }
        let order = self.ints("order", &order);
        self.add("Gather", &[&together, &order], vec![Attribute::int("axis", 1)])
    }

    /// Declares the input of numbers, fills in missing ones and takes offsets away: N × numbers; then, where there are
    /// any, the features that say which were missing. With offsets the input has 64 bits: in 32 they would be lost.
    fn numbers(&mut self, rules: &[NumberRule]) -> Vec<String> {
        let wide = rules.iter().any(|rule| rule.offset != 0.0);
        self.inputs
            .push(ValueInfo::rows(FEATURES, if wide { DOUBLE } else { FLOAT }, Some(rules.len())));
        let mut numbers = FEATURES.to_owned();
        let mut pieces = Vec::new();
        if rules.iter().any(|rule| rule.median.is_some()) {
            let gone = self.add("IsNaN", &[FEATURES], Vec::new());
            // Without a median a missing number stays missing, and so does the score.
            let medians: Vec<f64> = rules.iter().map(|rule| rule.median.unwrap_or(f64::NAN)).collect();
            let medians = self.row("medians", &medians, wide);
            numbers = self.add("Where", &[&gone, &medians, FEATURES], Vec::new());
            let which: Vec<usize> = (0..rules.len()).filter(|at| rules[*at].missing).collect();
            if !which.is_empty() {
                let which = self.ints("missing", &which);
                let gone = self.add("Gather", &[&gone, &which], vec![Attribute::int("axis", 1)]);
                pieces.push(self.cast(&gone, FLOAT));
            }
        }
        if wide {
            let offsets: Vec<f64> = rules.iter().map(|rule| rule.offset).collect();
            let offsets = self.row("offsets", &offsets, wide);
            let near = self.add("Sub", &[&numbers, &offsets], Vec::new());
            numbers = self.cast(&near, FLOAT);
        }
        pieces.insert(0, numbers);
        pieces
    }

    /// Adds a number for each column, of 64 bits where they are wanted.
    fn row(&mut self, name: &str, values: &[f64], wide: bool) -> String {
        if wide {
            return self.doubles(name, &[values.len()], values);
        }
        let values: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        self.floats(name, &[values.len()], &values)
    }

    fn cast(&mut self, value: &str, to: i32) -> String {
        self.add("Cast", &[value], vec![Attribute::int("to", i64::from(to))])
    }

    /// Declares the input of a text column.
    fn text_input(&mut self, column: &str) -> String {
        let mut name = column.to_owned();
        while name.is_empty()
            || name.starts_with(INNER)
            || [FEATURES, SCORE, PROBABILITY, LABEL].contains(&&name[..])
            || self.inputs.iter().any(|input| input.name == name)
        {
            name.insert(0, '_');
        }
        self.inputs.push(ValueInfo::rows(&name, STRING, Some(1)));
        name
    }

    /// N × 1 texts to N × values, zeros for a text that is none of the values. Every text that stands for nothing is
    /// the empty one, if that is a value.
    fn one_hot(&mut self, column: &str, input: &str, values: &[String]) -> String {
        let mut texts = values.to_vec();
        let nothing = values.iter().position(String::is_empty);
        if nothing.is_some() {
            let other = MISSING_TEXTS.iter().filter(|text| !values.iter().any(|value| value == *text));
            texts.extend(other.map(|text| (*text).to_owned()));
        }
        let attributes = vec![Attribute::strings("cats_strings", &texts), Attribute::int("zeros", 1)];
        let encoded = self.add("OneHotEncoder", &[input], attributes);
        let axis = self.second_axis();
        let encoded = self.add("Squeeze", &[&encoded, &axis], Vec::new());
        let Some(nothing) = nothing else { return encoded };
        let mut meaning = vec![0.0; texts.len() * values.len()];
        for text in 0..texts.len() {
            meaning[text * values.len() + if text < values.len() { text } else { nothing }] = 1.0;
        }
        let meaning = self.floats(&format!("values of {column}"), &[texts.len(), values.len()], &meaning);
        self.add("MatMul", &[&encoded, &meaning], Vec::new())
    }

    /// (x − offset)·factor.
    pub(super) fn scaling(&mut self, scaling: &Scaling, mut value: String) -> String {
        let shape = [scaling.factor().len()];
        if !scaling.kind().keeps_zeros() {
            let offset = self.floats("scaling.offset", &shape, scaling.offset());
            value = self.add("Sub", &[&value, &offset], Vec::new());
        }
        if scaling.kind() != ScalingKind::None {
            let factor = self.floats("scaling.factor", &shape, scaling.factor());
            value = self.add("Mul", &[&value, &factor], Vec::new());
        }
        if scaling.kind() == ScalingKind::InverseFrequency {
            let length = self.floats("scaling.length", &[1], &[scaling.length()]);
            let least = self.floats("scaling.least", &[1], &[f32::MIN_POSITIVE]);
            let found = self.add("ReduceL2", &[&value], vec![Attribute::ints("axes", &[1])]);
            let found = self.add("Max", &[&found, &least], Vec::new());
            value = self.add("Div", &[&value, &found], Vec::new());
            value = self.add("Mul", &[&value, &length], Vec::new());
        }
        value
    }
}
