//! From what a file's columns hold to the features that a network takes.

use super::proto::{Attribute, FLOAT, STRING, ValueInfo};
use super::{Graph, INNER, LABEL, PROBABILITY, SCORE};
use crate::data::{Column, Features};
use crate::model::{Scaling, ScalingKind};

const FEATURES: &str = "features";

impl Graph {
    /// Declares the inputs and puts their values into the model's order.
    pub(super) fn inputs(&mut self, features: &Features) -> String {
        let numbers = features
            .columns()
            .iter()
            .filter(|column| matches!(column, Column::Number { .. }))
            .count();
        let mut pieces = Vec::new();
        if numbers > 0 {
            self.inputs.push(ValueInfo::rows(FEATURES, FLOAT, Some(numbers)));
            pieces.push(FEATURES.to_owned());
        }
        // Where each feature of the model is, among numbers and then category after category.
        let mut order = Vec::new();
        let (mut next_number, mut next_value) = (0, numbers);
        for column in features.columns() {
            match column {
                Column::Number { .. } => {
                    order.push(next_number);
                    next_number += 1;
                }
                Column::Category { name, values } => {
                    let input = self.text_input(name);
                    if values.is_empty() {
                        continue;
                    }
                    pieces.push(self.one_hot(&input, values));
                    order.extend(next_value..next_value + values.len());
                    next_value += values.len();
                }
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

    /// N × 1 texts to N × values, zeros for a text that is none of the values.
    fn one_hot(&mut self, input: &str, values: &[String]) -> String {
        let attributes = vec![Attribute::strings("cats_strings", values), Attribute::int("zeros", 1)];
        let encoded = self.add("OneHotEncoder", &[input], attributes);
        let axis = self.second_axis();
        self.add("Squeeze", &[&encoded, &axis], Vec::new())
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
        value
    }
}
