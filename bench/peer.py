"""PyTorch's side of the speed comparison, as fast as PyTorch can be made on a CPU, in float32.

A driver starts it once and asks for one measurement at a time, so that it can take turns with another
program under the same conditions:

    peer.py                               reads lines `WORK THREADS [VARIANT]` until `quit`; answers each with
                                          a line of JSON: work, threads, seconds, units, variant, peak_rss
    peer.py --list                        the works
    peer.py --once WORK THREADS [VARIANT] answers one request

`seconds` is the time of one unit (an epoch, an inference pass, a step, a product), the mean over `units`
of them in a row. The first request for a work and a number of threads also sets it up, tries every variant
and keeps the fastest; none of that is in `seconds`. A request that names a variant builds only that one.
`peak_rss`, in bytes, is the whole process's highest so far: to compare memory, give each work and variant
a process of its own.

Variants: `eager` is ordinary PyTorch with the fused Adam; `compiled` is torch.compile, for training over
the whole step (rows gathered, forward, backward, Adam) as one graph, and is left out where there is no C++
compiler or compiling fails. A number after it is the rows of an inference batch.
"""

import copy
import ctypes
import functools
import gc
import itertools
import json
import os
import resource
import shutil
import sys
import time
import warnings
from collections import namedtuple

# Compile in this process: idle helper processes would stand beside the measured one.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
if sys.platform == "linux":
    # glibc gives blocks above 32 MB back at once and pays for their pages again: a few percent of a
    # ResNet step. -4 is M_MMAP_MAX, -1 is M_TRIM_THRESHOLD.
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(-4, 0)
        libc.mallopt(-1, 2**31 - 1)

import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
torch.set_flush_denormal(True)
# Lets a compiled step hold its own backward pass. Where this setting is unknown, compiling the step fails
# and `eager` is left.
torch._dynamo.config.trace_autograd_ops = True

TARGET_SECONDS = 0.5
PRIOR = 0.5
RATE, DECAY = 1e-3, 1e-5
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
PAIRS_IN_BATCH = 128
# Under discard at prior 1/2: theta+ = 2/3 and theta- = 1/3, hence the shares that rank pruning keeps
# (1 - phi) and the noise rates rho by which it weights.
KEPT_SHARE = 2 / 3
RHO = PRIOR / (1 + PRIOR)
CONSISTENCY, TEACHER_ALPHA = 10.0, 0.97
RECENT_BATCHES = 8


# Models


def linear(width):
    return nn.Linear(width, 1)


def mlp(width=784, hidden=300):
    layers = []
    for inputs in (width, hidden, hidden):
        layers += [nn.Linear(inputs, hidden), nn.BatchNorm1d(hidden), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, nn.Linear(hidden, 1))


def conv(inputs, outputs, kernel, stride):
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.norm1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = conv(outputs, outputs, 3, 1), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)), inplace=True)
        y = self.norm2(self.conv2(y))
        y += self.shortcut(x)
        return F.relu(y, inplace=True)


def resnet(depths, widths):
    inputs = widths[0]
    layers = [conv(3, inputs, 3, 1), nn.BatchNorm2d(inputs), nn.ReLU(inplace=True)]
    for stage, (blocks, outputs) in enumerate(zip(depths, widths)):
        for block in range(blocks):
            layers.append(Block(inputs, outputs, 2 if stage > 0 and block == 0 else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1))


# Risks, of the scores of a batch: the likelier pile first, then as many of the other


def columns(scores):
    scores = scores.view(2, -1)
    positive, negative = F.softplus(-scores).mean(1), F.softplus(scores).mean(1)
    return positive[0] - (1 - PRIOR) * positive[1], negative[1] - PRIOR * negative[0]


def pcomp_unbiased(scores):
    first, second = columns(scores)
    return first + second


def pcomp_relu(scores):
    first, second = columns(scores)
    return first.relu() + second.relu()


def pcomp_teacher(scores, teacher, kept):
    likelier, other = scores.view(2, -1)
    kept_likelier, kept_other = kept.view(2, -1)
    pruned = (F.softplus(-likelier) * kept_likelier).mean() / (1 - RHO)
    pruned = pruned + (F.softplus(other) * kept_other).mean() / (1 - RHO)
    return pruned + CONSISTENCY * (scores - teacher).square().mean()


# Training and inference

serial = itertools.count()


def compiled(function):
    # A code object of its own: PyTorch keeps compiled graphs by code object, up to a limit, and looks
    # through all of them at every call.
    function.__code__ = function.__code__.replace(co_name=f"compiled_{next(serial)}")
    return torch.compile(function, dynamic=False, fullgraph=True)


def training_step(variant, model, loss, after=lambda: None):
    """A function that takes what `loss` takes and updates the model once by Adam with coupled decay."""
    parameters = list(model.parameters())
    if variant == "eager":
        adam = torch.optim.Adam(parameters, lr=RATE, weight_decay=DECAY, fused=True)

        def step(*batch):
            value = loss(*batch)
            adam.zero_grad(set_to_none=True)
            value.backward()
            adam.step()
            with torch.no_grad():
                after()

        return step

    # Adam written out, because a compiled graph takes the fused one as a foreign call of its own.
    states = [(torch.zeros_like(p), torch.zeros_like(p)) for p in parameters]
    count = torch.zeros(())

    def step(*batch):
        gradients = torch.autograd.grad(loss(*batch), parameters)
        with torch.no_grad():
            count.add_(1)
            rate = RATE / (1 - BETA1**count)
            correction = (1 - BETA2**count).sqrt()
            for parameter, gradient, (first, second) in zip(parameters, gradients, states):
                gradient = gradient + DECAY * parameter
                first.lerp_(gradient, 1 - BETA1)
                second.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
                parameter.sub_(rate * first / (second.sqrt() / correction + EPSILON))
            after()

    return compiled(step)


def batches(pairs):
    """An epoch's batches of rows in random order; rows `pairs` and on are the other pile."""
    order = torch.randperm(pairs)
    rows = torch.stack((order, order + pairs))
    whole = pairs // PAIRS_IN_BATCH * PAIRS_IN_BATCH
    yield from rows[:, :whole].view(2, -1, PAIRS_IN_BATCH).transpose(0, 1).flatten(1).unbind()
    if whole < pairs:
        yield rows[:, whole:].flatten()


def score(model, rows, out, size):
    """Writes the scores of all rows, `size` at a time."""
    for x, y in zip(rows.split(size), out.split(size)):
        y.copy_(model(x))


@functools.cache
def small_rows():
    return torch.randn(2_000, 64)


@functools.cache
def image_rows():
    return torch.rand(30_000, 784)


def epochs(variant, data, model, risk):
    rows = data()
    step = training_step(variant, model, lambda index: risk(model(rows.index_select(0, index))))

    def unit():
        for index in batches(len(rows) // 2):
            step(index)

    return unit


def teacher_epochs(variant, model):
    rows = image_rows()
    pairs = len(rows) // 2
    teacher = copy.deepcopy(model).requires_grad_(False)
    students, teachers = list(model.parameters()), list(teacher.parameters())
    kept = torch.zeros(len(rows), 1)
    scores = torch.empty(len(rows), 1)

    def loss(index):
        x = rows.index_select(0, index)
        with torch.no_grad():
            target = teacher(x)
        return pcomp_teacher(model(x), target, kept.index_select(0, index))

    def follow():
        torch._foreach_lerp_(teachers, students, 1 - TEACHER_ALPHA)

    step = training_step(variant, model, loss, follow)

    def prune():
        model.eval()
        score(model, rows, scores, 500)
        model.train()
        count = round(KEPT_SHARE * pairs)
        likelier, other = scores.view(2, -1)
        kept.zero_()
        kept[likelier.topk(count, sorted=False).indices] = 1
        kept[other.topk(count, largest=False, sorted=False).indices + pairs] = 1

    def unit():
        with torch.inference_mode():
            prune()
        for index in batches(pairs):
            step(index)

    return unit


def posterior_epochs(variant, model):
    """Pair posterior: both labels of each pair from a slow teacher's scores, whose level the prior holds."""
    rows = image_rows()
    teacher = copy.deepcopy(model).requires_grad_(False)
    students, teachers = list(model.parameters()), list(teacher.parameters())
    recent = torch.zeros(RECENT_BATCHES, 2 * PAIRS_IN_BATCH)
    # At prior 1/2 the two piles together have as many positives as the population: no shift lies between them.
    level = torch.zeros(())

    def loss(index):
        x = rows.index_select(0, index)
        with torch.no_grad():
            z = teacher(x)
            recent.copy_(recent.roll(1, 0))
            recent[0, : len(z)] = z.flatten()
            shifted = torch.sigmoid(recent + level)
            level.sub_((shifted.mean() - PRIOR) / (shifted * (1 - shifted)).mean().clamp_min(1e-3))
            p, p_other = torch.sigmoid(z + level).view(2, -1)
            kept = 1 - (1 - p) * p_other
            targets = torch.cat((p / kept, p * p_other / kept)).view(-1, 1)
        return F.binary_cross_entropy_with_logits(model(x), targets)

    def follow():
        torch._foreach_lerp_(teachers, students, 1 - TEACHER_ALPHA)

    step = training_step(variant, model, loss, follow)

    def unit():
        for index in batches(len(rows) // 2):
            step(index)

    return unit


def inference(variant, model):
    rows = image_rows()
    out = torch.empty(len(rows), 1)
    kind, size = variant.split("-")
    model.eval()
    forward = compiled(lambda x: model(x)) if kind == "compiled" else model

    def unit():
        with torch.inference_mode():
            score(forward, rows, out, int(size))

    return unit


def resnet34():
    return resnet((3, 4, 6, 3), (64, 128, 256, 512))


def resnet32():
    return resnet((5, 5, 5), (16, 32, 64))


def resnet_steps(variant, layout, network=resnet34):
    model = network().to(memory_format=layout)
    images = torch.rand(128, 3, 32, 32).contiguous(memory_format=layout)
    step = training_step(variant, model, lambda x: pcomp_relu(model(x)))
    return lambda: step(images)


def products(_):
    left, right, out = torch.rand(1024, 1024), torch.rand(1024, 1024), torch.empty(1024, 1024)
    return lambda: torch.mm(left, right, out=out)


Work = namedtuple("Work", "description variants build")
BOTH = ("eager", "compiled")
WORKS = {
    "linear-64-train": Work(
        "epoch of a linear model, 1,000 pairs of 64 numbers, Pcomp-Unbiased",
        BOTH, lambda variant: epochs(variant, small_rows, linear(64), pcomp_unbiased)),
    "linear-784-train": Work(
        "epoch of a linear model, 15,000 pairs of 784 numbers, Pcomp-Unbiased",
        BOTH, lambda variant: epochs(variant, image_rows, linear(784), pcomp_unbiased)),
    "linear-784-infer": Work(
        "scores of 30,000 rows of 784 numbers by a linear model",
        ("eager-1000", "eager-3000", "eager-30000", "compiled-3000", "compiled-30000"),
        lambda variant: inference(variant, linear(784))),
    "mlp-train": Work(
        "epoch of a 784-300-300-300-1 network with batch norm, 15,000 pairs, Pcomp-ReLU",
        BOTH, lambda variant: epochs(variant, image_rows, mlp(), pcomp_relu)),
    "mlp-infer": Work(
        "scores of 30,000 rows by that network",
        ("eager-250", "eager-500", "eager-1000", "eager-3000", "compiled-500", "compiled-1000", "compiled-3000"),
        lambda variant: inference(variant, mlp())),
    "mlp-teacher-train": Work(
        "epoch of that network, 15,000 pairs, Pcomp-Teacher: scores and pruning, then training",
        BOTH, lambda variant: teacher_epochs(variant, mlp())),
    "mlp-posterior-train": Work(
        "epoch of that network, 15,000 pairs, pair-posterior: a teacher's scores, both labels, then training",
        BOTH, lambda variant: posterior_epochs(variant, mlp())),
    "resnet34-step-channels-last": Work(
        "training step of a ResNet-34 for 32x32 images, batch of 128, Pcomp-ReLU, pixels together",
        BOTH, lambda variant: resnet_steps(variant, torch.channels_last)),
    "resnet34-step-default": Work(
        "the same, channel planes together",
        BOTH, lambda variant: resnet_steps(variant, torch.contiguous_format)),
    "resnet32-step": Work(
        "training step of a ResNet-32 (16 to 64 channels), batch of 128, Pcomp-ReLU, the faster layout",
        ("eager-last", "compiled-last", "eager-planes", "compiled-planes"),
        lambda variant: resnet_steps(
            variant.split("-")[0],
            torch.channels_last if variant.endswith("last") else torch.contiguous_format,
            resnet32)),
    "gemm": Work("a 1024 x 1024 x 1024 matrix product", ("eager",), products),
}


# Measuring


def timed(unit, units):
    """Seconds per unit."""
    start = time.perf_counter()
    for _ in range(units):
        unit()
    return (time.perf_counter() - start) / units


def build(work, variant):
    """The work's unit, run once; None if this variant cannot be had."""
    if variant.startswith("compiled") and not any(
        map(shutil.which, (os.environ.get("CXX", "c++"), "g++", "clang++"))
    ):
        return None
    torch.manual_seed(1)
    try:
        unit = WORKS[work].build(variant)
        unit()
    except Exception:
        if variant.startswith("compiled"):
            return None
        raise
    return unit


@functools.cache
def prepared(work, threads, wanted):
    """The variant to measure, its unit, and about how many seconds that takes."""
    candidates = [wanted] if wanted else WORKS[work].variants
    units = {variant: build(work, variant) for variant in candidates}
    units = {variant: unit for variant, unit in units.items() if unit}
    if not units:
        raise RuntimeError(f"{wanted} cannot be built here")
    best = dict.fromkeys(units, float("inf"))
    # In turns, so that a disturbance does not fall on one variant alone.
    for _ in range(3):
        for variant, unit in units.items():
            first = timed(unit, 1)
            seconds = min(first, timed(unit, round(0.1 / first))) if first < 0.1 else first
            best[variant] = min(best[variant], seconds)
    fastest = min(best, key=best.get)
    unit, seconds = units[fastest], best[fastest]
    del units
    gc.collect()
    return fastest, unit, seconds


def answer(request):
    words = request.split()
    if len(words) not in (2, 3):
        return {"error": f"expected WORK THREADS [VARIANT], got {request!r}"}
    work, threads, wanted = words[0], words[1], words[2] if len(words) == 3 else None
    if work not in WORKS:
        return {"work": work, "error": f"unknown work; known: {', '.join(WORKS)}"}
    if not threads.isdecimal() or int(threads) == 0:
        return {"work": work, "error": f"threads must be a whole number from 1, got {threads!r}"}
    if wanted and wanted not in WORKS[work].variants:
        return {"work": work, "error": f"unknown variant; known: {', '.join(WORKS[work].variants)}"}
    threads = int(threads)
    torch.set_num_threads(threads)
    try:
        variant, unit, expected = prepared(work, threads, wanted)
        least = 3 if expected < TARGET_SECONDS / 2 else 1
        units = max(least, round(TARGET_SECONDS / expected))
        seconds = timed(unit, units)
    except Exception as error:  # the driver goes on with its other works
        return {"work": work, "threads": threads, "error": f"{type(error).__name__}: {error}"}
    # Kilobytes on Linux, bytes on macOS.
    scale = 1 if sys.platform == "darwin" else 1024
    peak_rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
    return {
        "work": work, "threads": threads, "seconds": seconds, "units": units,
        "variant": variant, "peak_rss": peak_rss,
    }


def main(arguments):
    if arguments == ["--list"]:
        for name, work in WORKS.items():
            print(f"{name:28} {work.description} ({', '.join(work.variants)})")
    elif arguments[:1] == ["--once"]:
        result = answer(" ".join(arguments[1:]))
        print(json.dumps(result))
        return int("error" in result)
    elif arguments:
        sys.exit(__doc__)
    else:
        for line in sys.stdin:
            if line.strip() == "quit":
                break
            if line.strip():
                print(json.dumps(answer(line.strip())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
