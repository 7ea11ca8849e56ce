//! The layers of a network as ONNX operations.
//!
//! The engine keeps channels last; ONNX wants images as N × channels × height × width, which is how rows
//! hold them, and weights of a convolution as outputs × inputs × kernel row × kernel column.

use super::Graph;
use super::proto::Attribute;
use crate::model::Weights;
use crate::model::tensors::{Tensor, layers};
use crate::nn::{Builder, EPSILON, Layer, PoolKind, Shape};

/// The output of a layer.
struct Value {
    name: String,
    shape: Shape,
    /// N × channels × height × width rather than N × numbers.
    is_image: bool,
}

impl Graph {
    /// Adds the layers behind `input`, and gives the name of the last one's output.
    pub(super) fn network(&mut self, network: &Builder, weights: &Weights, input: String) -> String {
        let mut values: Vec<Value> = Vec::new();
        for (node, tensors) in layers(network) {
            let constants = tensors.iter().map(|tensor| self.tensor(tensor, weights));
            let constants: Vec<String> = constants.collect();
            let before = values.get(node.from);
            let name = match (&node.layer, before) {
                (Layer::Input, _) | (_, None) => input.clone(),
                // Rows are plane after plane already.
                (Layer::ChannelsLast, Some(before)) => before.name.clone(),
                (Layer::Dense(_), Some(before)) => {
                    let flat = self.flat(before);
                    self.add("Gemm", &[&flat, &constants[0], &constants[1]], Vec::new())
                }
                (Layer::Conv(conv), Some(before)) => {
                    let image = self.image(before);
                    let attributes = vec![
                        Attribute::ints("kernel_shape", &[conv.kernel; 2]),
                        Attribute::ints("strides", &[conv.stride; 2]),
                        Attribute::ints("pads", &[conv.padding; 4]),
                    ];
                    self.add("Conv", &[&image, &constants[0]], attributes)
                }
                (Layer::Norm(norm, added), Some(before)) => {
                    let mut inputs = vec![&before.name[..]];
                    inputs.extend(constants.iter().map(String::as_str));
                    let epsilon = Attribute::float("epsilon", EPSILON as f32);
                    let mut name = self.add("BatchNormalization", &inputs, vec![epsilon]);
                    if let Some(added) = added.and_then(|added| values.get(added)) {
                        name = self.add("Add", &[&name, &added.name], Vec::new());
                    }
                    if norm.relu { self.add("Relu", &[&name], Vec::new()) } else { name }
                }
                (Layer::Relu, Some(before)) => self.add("Relu", &[&before.name], Vec::new()),
                (Layer::Pool(pool), Some(before)) => {
                    let image = self.image(before);
                    let operation = match pool.kind {
                        PoolKind::Average => "AveragePool",
                        PoolKind::Max => "MaxPool",
                    };
                    let attributes = vec![
                        Attribute::ints("kernel_shape", &[pool.kernel; 2]),
                        Attribute::ints("strides", &[pool.stride; 2]),
                    ];
                    self.add(operation, &[&image], attributes)
                }
            };
            let is_image = match node.layer {
                Layer::Input | Layer::ChannelsLast | Layer::Dense(_) => false,
                Layer::Conv(_) | Layer::Pool(_) => true,
                Layer::Norm(..) | Layer::Relu => before.is_some_and(|before| before.is_image),
            };
            values.push(Value { name, shape: node.shape, is_image });
        }
        values.pop().map_or(input, |last| last.name)
    }

    /// Adds what a layer learned.
    fn tensor(&mut self, tensor: &Tensor, weights: &Weights) -> String {
        let numbers = tensor.of(weights);
        match tensor.shape[..] {
            [rows, columns, inputs, outputs] => {
                let numbers = outputs_first(numbers, rows * columns, inputs, outputs);
                self.floats(&tensor.name, &[outputs, inputs, rows, columns], &numbers)
            }
            _ => self.floats(&tensor.name, &tensor.shape, numbers),
        }
    }

    /// N × channels × height × width.
    fn image(&mut self, value: &Value) -> String {
        if value.is_image {
            return value.name.clone();
        }
        let Shape { height, width, channels } = value.shape;
        // 0 keeps N.
        let name = format!("image-{channels}x{height}x{width}");
        let shape = self.ints(&name, &[0, channels, height, width]);
        self.add("Reshape", &[&value.name, &shape], Vec::new())
    }

    /// N × numbers, pixel after pixel as the engine has them.
    fn flat(&mut self, value: &Value) -> String {
        if !value.is_image {
            return value.name.clone();
        }
        let pixels = self.add("Transpose", &[&value.name], vec![Attribute::ints("perm", &[0, 2, 3, 1])]);
        self.add("Flatten", &[&pixels], vec![Attribute::int("axis", 1)])
    }
}

/// Kernel × inputs × outputs to outputs × inputs × kernel.
pub(super) fn outputs_first(weights: &[f32], kernel: usize, inputs: usize, outputs: usize) -> Vec<f32> {
    let mut turned = Vec::with_capacity(weights.len());
    for output in 0..outputs {
        for input in 0..inputs {
            turned.extend((0..kernel).map(|at| weights[(at * inputs + input) * outputs + output]));
        }
    }
    turned
}
