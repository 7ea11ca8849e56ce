//! The engine: gradients against differences and against PyTorch, and independence of the number of
//! threads.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use likelier::data::Rows;
use likelier::model::{
    Architecture, Mlp, MlpNorm, Model, NetworkModel, ResNet, Scaling, ScalingKind, Stored, Weights,
};
use likelier::nn::{Builder, Mode, Network, Shape};
use likelier::random::{Purpose, Rng, stream, unit};
use serde_json::Value;

/// A network whose scores a fixed combination is taken of: a function of its parameters.
struct Checked {
    network: Network,
    parameters: Vec<f32>,
    buffers: Vec<f32>,
    inputs: Vec<f32>,
    combination: Vec<f32>,
}

fn numbers(count: usize, rng: &mut impl Rng) -> Vec<f32> {
    (0..count).map(|_| 2.0 * unit(rng) as f32 - 1.0).collect()
}

impl Checked {
    fn new(builder: Builder, width: usize, rows: usize) -> Self {
        let mut rng = stream(9, Purpose::Weights);
        let mut parameters = builder.initial_parameters(&mut rng);
        // Away from the symmetric start: γ and β are not 1 and 0.
        for parameter in &mut parameters {
            *parameter += 0.3 * (unit(&mut rng) as f32 - 0.5);
        }
        Self {
            buffers: builder.initial_buffers(),
            network: builder.build(rows),
            parameters,
            inputs: numbers(rows * width, &mut rng),
            combination: numbers(rows, &mut rng),
        }
    }

    fn value(&mut self) -> f64 {
        let mut scores = vec![0.0; self.combination.len()];
        let mode = Mode::Training(&mut self.buffers);
        self.network.forward(&self.parameters, mode, &self.inputs, &mut scores).unwrap();
        scores
            .iter()
            .zip(&self.combination)
            .map(|(s, c)| f64::from(*s) * f64::from(*c))
            .sum()
    }

    fn gradient(&mut self) -> Vec<f32> {
        self.value();
        let mut gradient = vec![0.0; self.parameters.len()];
        let (inputs, combination) = (&self.inputs, &self.combination);
        self.network
            .backward(&self.parameters, inputs, combination, &mut gradient)
            .unwrap();
        gradient
    }

    /// Each parameter's derivative against a central difference. Where a step crosses the kink of a ReLU
    /// or of a maximum, the differences to the two sides disagree; such a parameter is passed over, as
    /// long as they are few.
    fn assert_gradient(&mut self) {
        let gradient = self.gradient();
        let largest = gradient.iter().fold(0.0_f64, |largest, g| largest.max(f64::from(*g).abs()));
        let step = 1.0 / 512.0;
        let here = self.value();
        let mut kinked = 0;
        for at in 0..gradient.len() {
            let start = self.parameters[at];
            let mut moved = |step: f32| {
                self.parameters[at] = start + step;
                let value = self.value();
                self.parameters[at] = start;
                value
            };
            let [above, below] = [moved(step) - here, here - moved(-step)].map(|d| d / f64::from(step));
            if (above - below).abs() > 4e-3 * largest {
                kinked += 1;
            } else {
                let (ours, difference) = (f64::from(gradient[at]), f64::midpoint(above, below));
                let off = (ours - difference).abs();
                assert!(off < 4e-3 * largest, "parameter {at}: {ours} is not {difference}");
            }
        }
        assert!(2 * kinked < gradient.len(), "{kinked} of {} parameters near a kink", gradient.len());
    }
}

#[test]
fn the_gradient_of_dense_layers_and_relu_is_the_difference() {
    let (mut builder, input) = Builder::for_vectors(7);
    let hidden = builder.dense(input, 9);
    let hidden = builder.relu(hidden);
    builder.dense(hidden, 1);
    Checked::new(builder, 7, 11).assert_gradient();
}

#[test]
fn the_gradient_of_batch_norm_with_and_without_relu_is_the_difference() {
    for relu in [false, true] {
        let (mut builder, input) = Builder::for_vectors(5);
        let first = builder.norm(input, None, false);
        let hidden = builder.dense(first, 6);
        let hidden = builder.norm(hidden, None, relu);
        builder.dense(hidden, 1);
        Checked::new(builder, 5, 12).assert_gradient();
    }
}

#[test]
fn the_gradient_of_convolutions_of_any_stride_and_padding_is_the_difference() {
    let image = Shape { height: 5, width: 7, channels: 2 };
    for (kernel, stride, padding) in [(3, 1, 1), (3, 2, 1), (1, 2, 0), (2, 1, 0), (5, 3, 2), (3, 1, 4)] {
        let (mut builder, input) = Builder::for_images(image);
        let first = builder.conv(input, 3, kernel, stride, padding);
        let second = builder.conv(first, 2, 1, 1, 0);
        builder.dense(second, 1);
        Checked::new(builder, image.size(), 6).assert_gradient();
    }
}

#[test]
fn the_gradient_of_pooling_is_the_difference() {
    let image = Shape { height: 6, width: 5, channels: 3 };
    for max in [false, true] {
        let (mut builder, input) = Builder::for_images(image);
        let first = builder.conv(input, 4, 3, 1, 1);
        let pooled = if max { builder.max_pool(first, 2, 1) } else { builder.average_pool(first, 3, 2) };
        builder.dense(pooled, 1);
        Checked::new(builder, image.size(), 5).assert_gradient();
    }
}

#[test]
fn the_gradient_of_residual_blocks_is_the_difference() {
    let image = Shape { height: 4, width: 4, channels: 3 };
    let (mut builder, input) = Builder::for_images(image);
    let stem = builder.conv(input, 4, 3, 1, 1);
    let stem = builder.norm(stem, None, true);
    // Twice used, so that gradients meet.
    let first = builder.conv(stem, 4, 3, 1, 1);
    let first = builder.norm(first, Some(stem), true);
    let second = builder.conv(first, 5, 3, 2, 1);
    let shortcut = builder.conv(first, 5, 1, 2, 0);
    let shortcut = builder.norm(shortcut, None, false);
    let second = builder.norm(second, Some(shortcut), true);
    let pooled = builder.average_pool(second, 2, 2);
    builder.dense(pooled, 1);
    Checked::new(builder, image.size(), 8).assert_gradient();
}

#[test]
fn results_are_the_same_bytes_for_any_number_of_threads() {
    fn mlp() -> Builder {
        let (mut builder, input) = Builder::for_vectors(200);
        let hidden = builder.dense(input, 300);
        let hidden = builder.norm(hidden, None, true);
        builder.dense(hidden, 1);
        builder
    }
    fn residual() -> Builder {
        let (mut builder, input) = Builder::for_images(Shape { height: 16, width: 16, channels: 3 });
        let first = builder.conv(input, 16, 3, 1, 1);
        let first = builder.norm(first, None, true);
        let second = builder.conv(first, 16, 3, 1, 1);
        let second = builder.norm(second, Some(first), true);
        let pooled = builder.max_pool(second, 2, 2);
        let pooled = builder.average_pool(pooled, 8, 8);
        builder.dense(pooled, 1);
        builder
    }
    let networks = [(mlp as fn() -> Builder, 200, 300), (residual, 768, 37)];
    for (build, width, rows) in networks {
        let results = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut checked = Checked::new(build(), width, rows);
                let gradient = checked.gradient();
                (gradient, checked.buffers.clone(), checked.value().to_bits())
            })
        });
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0], results[2]);
    }
}

#[test]
fn inference_uses_running_statistics_and_changes_nothing() {
    let (mut builder, input) = Builder::for_vectors(3);
    let hidden = builder.norm(input, None, false);
    builder.dense(hidden, 1);
    let mut checked = Checked::new(builder, 3, 50);
    checked.value();
    let buffers = checked.buffers.clone();
    let mut alone = [0.0];
    let mut together = [0.0; 50];
    let Checked { network, parameters, inputs, .. } = &mut checked;
    network
        .forward(parameters, Mode::Inference(&buffers), &inputs[..3], &mut alone)
        .unwrap();
    network
        .forward(parameters, Mode::Inference(&buffers), inputs, &mut together)
        .unwrap();
    assert_eq!(alone[0], together[0], "a row's score does not depend on the rows beside it");
    assert_eq!(checked.buffers, buffers);
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let (mut builder, input) = Builder::for_vectors(3);
    builder.dense(input, 1);
    let mut network = builder.build(4);
    let mode = || Mode::Inference(&[]);
    let mut scores = [0.0; 5];
    assert!(network.forward(&[0.0; 4], mode(), &[0.0; 15], &mut scores).is_err(), "too many rows");
    assert!(network.forward(&[0.0; 4], mode(), &[0.0; 5], &mut scores[..2]).is_err(), "ragged");
    assert!(network.forward(&[0.0; 3], mode(), &[0.0; 6], &mut scores[..2]).is_err(), "parameters");
    assert!(network.forward(&[0.0; 4], mode(), &[0.0; 6], &mut scores[..2]).is_ok());
    let resnet = Architecture::ResNet(ResNet::resnet32([3, 32, 32]));
    let error = resnet.build(784, 8).err().unwrap().to_string();
    assert!(error.contains("3072 numbers, but rows have 784"), "{error}");
    for bad in [
        Architecture::Mlp(Mlp { hidden: vec![8, 0], norm: MlpNorm::None }),
        Architecture::ResNet(ResNet { image: [3, 16, 4], stem: 4, stages: vec![(1, 4)] }),
        Architecture::ResNet(ResNet { image: [3, 8, 8], stem: 0, stages: vec![(1, 4)] }),
        Architecture::ResNet(ResNet { image: [3, 8, 8], stem: 4, stages: vec![(1, 0)] }),
        Architecture::ResNet(ResNet { image: [3, 8, 8], stem: 4, stages: vec![] }),
    ] {
        assert!(bad.build(192, 8).is_err(), "{bad:?}");
    }
}

#[test]
fn the_known_sizes_of_models_come_out() {
    let parameters = |architecture: Architecture, width: usize| {
        architecture
            .initial_weights(width, &mut stream(1, Purpose::Weights))
            .unwrap()
            .parameters
            .len()
    };
    // 784·300 + 300 + 2·(300·300 + 300) + 3·600 + 301.
    assert_eq!(parameters(Architecture::Mlp(Mlp::of_the_paper()), 784), 418_201);
    // torchvision's ResNet-34 has 21,284,672 in its body; a 3×3 stem saves 7,680; the head adds 513.
    let resnet34 = Architecture::ResNet(ResNet::resnet34([3, 32, 32]));
    assert_eq!(parameters(resnet34, 3072), 21_277_505);
    let resnet32 = Architecture::ResNet(ResNet::resnet32([3, 32, 32]));
    assert_eq!(parameters(resnet32, 3072), 466_321);
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn floats(value: &Value) -> Vec<f32> {
    list(value).into_iter().map(|x| x as f32).collect()
}

/// The largest difference, as a share of the largest expected number.
fn error(ours: &[f32], expected: &Value) -> f64 {
    let expected = list(expected);
    assert_eq!(ours.len(), expected.len());
    let largest = expected.iter().fold(f64::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
    let apart = ours.iter().zip(&expected).map(|(ours, x)| (f64::from(*ours) - x).abs());
    apart.fold(0.0, f64::max) / largest
}

/// The model of a golden case.
fn golden_model(case: &Value) -> Box<dyn Model> {
    let rows = case["rows"].as_u64().unwrap() as usize;
    let mlp = |norm| Architecture::Mlp(Mlp { hidden: vec![8, 7], norm }).build(6, rows).unwrap();
    match case["name"].as_str().unwrap() {
        "mlp-hidden-norm" => mlp(MlpNorm::EachLayer),
        "mlp-input-norm" => mlp(MlpNorm::Input),
        "mlp-no-norm" => mlp(MlpNorm::None),
        "resnet" => {
            let resnet = ResNet { image: [3, 8, 8], stem: 4, stages: vec![(1, 4), (1, 6)] };
            Architecture::ResNet(resnet).build(192, rows).unwrap()
        }
        "odd-conv" => {
            let (mut builder, input) = Builder::for_images(Shape { height: 5, width: 7, channels: 2 });
            let node = builder.conv(input, 3, 3, 2, 1);
            let node = builder.max_pool(node, 2, 1);
            let node = builder.relu(node);
            let node = builder.average_pool(node, 2, 1);
            builder.dense(node, 1);
            Box::new(NetworkModel::from(builder.build(rows)))
        }
        other => panic!("unknown case {other}"),
    }
}

#[test]
fn forward_and_backward_agree_with_pytorch_in_float64() {
    let golden: Value = serde_json::from_str(include_str!("golden/networks.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let (inputs, combination) = (floats(&case["inputs"]), floats(&case["score_gradients"]));
        let buffers: Vec<f32> =
            golden_model_buffers(case).unwrap_or_else(|| vec![0.0; list(&case["buffers"]).len()]);
        let mut weights = Weights { parameters: floats(&case["parameters"]), buffers };
        let mut model = golden_model(case);
        let mut scores = vec![0.0; combination.len()];
        let width = inputs.len() / scores.len();
        let rows = Rows::from_numbers(inputs, width).unwrap();
        let scaling = Scaling::fit(ScalingKind::None, &rows, &[]);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let batch = Stored::new(&rows, &scaling, &all);
        model.forward(&mut weights, &batch, &mut scores).unwrap();
        let mut gradient = vec![0.0; weights.parameters.len()];
        model.backward(&weights, &batch, &combination, &mut gradient).unwrap();
        let mut inference_scores = vec![0.0; combination.len()];
        model.score(&weights, &batch, &mut inference_scores).unwrap();
        for (what, ours) in [
            ("scores", &scores),
            ("gradient", &gradient),
            ("buffers", &weights.buffers),
            ("inference_scores", &inference_scores),
        ] {
            let off = error(ours, &case[what]);
            // PyTorch's own float32 is 1e-8 to 3e-7 off; sums in another order may double that.
            assert!(off < 1e-6, "{}: {what} are off by {off:.1e}", case["name"]);
        }
    }
}

/// Running means start at 0 and variances at 1, norm after norm.
fn golden_model_buffers(case: &Value) -> Option<Vec<f32>> {
    let channels: &[usize] = match case["name"].as_str().unwrap() {
        "mlp-hidden-norm" => &[8, 7],
        "mlp-input-norm" => &[6],
        "resnet" => &[4, 4, 4, 6, 6, 6],
        _ => return None,
    };
    let one = |channels: &usize| [vec![0.0; *channels], vec![1.0; *channels]].concat();
    Some(channels.iter().flat_map(one).collect())
}
