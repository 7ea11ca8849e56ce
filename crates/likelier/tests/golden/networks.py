"""Golden values of whole networks for the engine's tests: forward and backward in PyTorch, float64.

Each case holds a network's parameters and inputs, the scores of one training pass, the gradient of
loss = sum of score_gradients[i] * scores[i] by every parameter, the batch norms' buffers after that pass,
and the scores of an inference pass that uses them. `float32_error` says how far PyTorch's own float32 is
from its float64: the largest difference as a share of the largest float64 number of that list.

Flat lists are in the engine's layout, which is not PyTorch's:
  inputs       row after row; an image plane after plane (channel, row, column)
  parameters   layers in the order of execution, `gradient` alike
    dense      inputs x outputs, then bias; an image is read pixel after pixel (row, column, channel)
    conv       kernel row x kernel column x input channel x output channel
    norm       gamma, then beta
  buffers      for each norm running mean, then running variance; they start at 0 and 1
In a block with a shortcut layer the order is conv1, norm1, conv2, shortcut conv, shortcut norm, norm2.

    python crates/likelier/tests/golden/networks.py > crates/likelier/tests/golden/networks.json
    python crates/likelier/tests/golden/networks.py --check crates/likelier/tests/golden/networks.json
"""

import copy
import math

import torch
from compare import finish
from torch import nn

torch.set_default_dtype(torch.float64)
# One thread: the float32 errors then depend less on the machine.
torch.set_num_threads(1)

# A small generator of our own, so that the inputs do not hang on a version of PyTorch.
state = 20210719


def unit():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 40) / 2**24


def numbers(count, low, high):
    # On a grid of 2^-12: exact in float32 and as decimal text.
    return [round((low + (high - low) * unit()) * 4096) / 4096 for _ in range(count)]


class Mlp(nn.Module):
    """6-8-7-1. `norm` is "hidden" (after each hidden layer), "input" (on the inputs only) or "none"."""

    def __init__(self, norm):
        super().__init__()
        layers = [nn.BatchNorm1d(6)] if norm == "input" else []
        for inputs, outputs in ((6, 8), (8, 7)):
            layers.append(nn.Linear(inputs, outputs))
            if norm == "hidden":
                layers.append(nn.BatchNorm1d(outputs))
            layers.append(nn.ReLU())
        layers.append(nn.Linear(7, 1))
        self.layers = nn.Sequential(*layers)

    def in_order(self):
        return list(self.layers)

    def forward(self, x):
        return self.layers(x).squeeze(1)


def conv(inputs, outputs, kernel, stride):
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)


class Block(nn.Module):
    """relu(norm2(conv2(relu(norm1(conv1(x))))) + shortcut(x))"""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.norm1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = conv(outputs, outputs, 3, 1), nn.BatchNorm2d(outputs)
        self.relu1, self.relu2 = nn.ReLU(), nn.ReLU()
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def in_order(self):
        return [self.conv1, self.norm1, self.conv2, *self.shortcut, self.norm2]

    def forward(self, x):
        y = self.norm2(self.conv2(self.relu1(self.norm1(self.conv1(x)))))
        return self.relu2(y + self.shortcut(x))


class ResNet(nn.Module):
    """3x3 stem of 4 channels, one block of 4 channels, one of 6 with stride 2, global average, dense."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 4, 3, 1), nn.BatchNorm2d(4), nn.ReLU())
        self.blocks = nn.Sequential(Block(4, 4, 1), Block(4, 6, 2))
        self.dense = nn.Linear(6, 1)

    def in_order(self):
        of_blocks = [layer for block in self.blocks for layer in block.in_order()]
        return [*self.stem, *of_blocks, self.dense]

    def forward(self, x):
        return self.dense(self.blocks(self.stem(x)).mean((2, 3))).squeeze(1)


class OddConv(nn.Module):
    """Sizes that nothing divides: 2x5x7 -> 3x3x4 -> max pool 3x2x3 -> relu -> average pool 3x1x2 -> 1."""

    def __init__(self):
        super().__init__()
        self.conv = conv(2, 3, 3, 2)
        self.pool = nn.MaxPool2d(2, stride=1)
        self.relu = nn.ReLU()
        self.average = nn.AvgPool2d(2, stride=1)
        self.dense = nn.Linear(6, 1)
        self.dense.image = (3, 1, 2)

    def in_order(self):
        return [self.conv, self.dense]

    def forward(self, x):
        return self.dense(self.average(self.relu(self.pool(self.conv(x)))).flatten(1)).squeeze(1)


def engine_view(layer, name, tensor):
    """A view of one of a layer's tensors in the engine's order of dimensions."""
    if isinstance(layer, nn.Conv2d):
        return tensor.permute(2, 3, 1, 0)
    if isinstance(layer, nn.Linear) and name == "weight":
        channels, height, width = getattr(layer, "image", (layer.in_features, 1, 1))
        return tensor.view(-1, channels, height, width).permute(2, 3, 1, 0)
    return tensor


def flat(network, value):
    """The parameters, or what `value` makes of each, in the engine's order."""
    return torch.cat([
        engine_view(layer, name, value(parameter)).reshape(-1)
        for layer in network.in_order()
        for name, parameter in layer.named_parameters()
    ])


def fill(network):
    """Draws the parameters, in the engine's order; weights about as large as the usual initial ones."""
    with torch.no_grad():
        for layer in network.in_order():
            norm = isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d))
            for name, parameter in layer.named_parameters():
                if norm:
                    low, high = (0.5, 1.5) if name == "weight" else (-0.5, 0.5)
                else:
                    high = layer.weight[0].numel() ** -0.5 * 1.5
                    low = -high
                view = engine_view(layer, name, parameter)
                view.copy_(torch.tensor(numbers(view.numel(), low, high)).view(view.shape))


def kink_margin(network, inputs):
    """How near the training pass comes to a point where the gradient jumps: a ReLU at 0, a tie in a
    max pool."""
    margins = []

    def visit(layer, arguments, _):
        x = arguments[0].detach()
        if isinstance(layer, nn.ReLU):
            margins.append(x.abs().min().item())
        else:
            windows = x.unfold(2, 2, 1).unfold(3, 2, 1).flatten(4)
            first, second = windows.topk(2, dim=4).values.unbind(4)
            margins.append((first - second).min().item())

    network = copy.deepcopy(network)
    for layer in network.modules():
        if isinstance(layer, (nn.ReLU, nn.MaxPool2d)):
            layer.register_forward_hook(visit)
    network(inputs)
    return min(margins)


def run(network, inputs, score_gradients):
    """One training pass with its gradient, then one inference pass."""
    network.train()
    scores = network(inputs)
    loss = (score_gradients * scores).sum()
    loss.backward()
    norms = [layer for layer in network.in_order() if hasattr(layer, "running_mean")]
    buffers = [buffer for norm in norms for buffer in (norm.running_mean, norm.running_var)]
    network.eval()
    with torch.inference_mode():
        inference_scores = network(inputs)
    return {
        "scores": scores.detach(),
        "loss": loss.detach(),
        "gradient": flat(network, lambda parameter: parameter.grad),
        "buffers": torch.cat(buffers) if buffers else torch.zeros(0, dtype=inputs.dtype),
        "inference_scores": inference_scores,
    }


def error(single, double):
    """The largest difference as a share of the largest number, to two digits."""
    if double.numel() == 0:
        return 0.0
    return float(f"{((single.double() - double).abs().max() / double.abs().max()).item():.1e}")


def rounded(tensor):
    # Ten decimals: far below float32's rounding. Adding 0 turns -0 into 0.
    if tensor.dim() == 0:
        return round(tensor.item(), 10) + 0.0
    return [round(value, 10) + 0.0 for value in tensor.tolist()]


def case(name, network, shape, rows):
    margin = 0.0
    # Nearer to a kink, float32 may take its other side, and no tolerance would be right.
    while margin < 1e-4:
        fill(network)
        inputs = torch.tensor(numbers(rows * math.prod(shape), -2, 2)).view(rows, *shape)
        margin = kink_margin(network, inputs)
    score_gradients = torch.tensor(numbers(rows, -1, 1))
    parameters = flat(network, lambda parameter: parameter.detach())
    twin = copy.deepcopy(network).float()
    double = run(network, inputs, score_gradients)
    single = run(twin, inputs.float(), score_gradients.float())
    assert all(value.dtype == torch.float32 for value in single.values())
    return {
        "name": name, "shape": list(shape), "rows": rows,
        "parameters": parameters.tolist(), "inputs": inputs.flatten().tolist(),
        "score_gradients": score_gradients.tolist(),
        **{key: rounded(value) for key, value in double.items()},
        "float32_error": {
            key: error(single[key], double[key])
            for key in ("scores", "inference_scores", "gradient", "buffers")
        },
    }


def same(path, old, new):
    """But for rounding. Another processor's float32 errs otherwise, but not much more."""
    return new <= 10 * old + 1e-7 if ".float32_error." in path else abs(old - new) <= 1e-9


result = {
    "torch": torch.__version__.split("+")[0],
    "cases": [
        case("mlp-hidden-norm", Mlp("hidden"), (6,), 10),
        case("mlp-input-norm", Mlp("input"), (6,), 10),
        case("mlp-no-norm", Mlp("none"), (6,), 10),
        case("resnet", ResNet(), (3, 8, 8), 5),
        case("odd-conv", OddConv(), (2, 5, 7), 3),
    ],
}
finish(result, same, f"{len(result['cases'])} networks")
