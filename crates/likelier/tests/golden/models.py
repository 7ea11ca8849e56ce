"""Reads models that `cargo run --example model_files` wrote with ONNX Runtime and safetensors.

For each NAME.json of a folder:
  NAME.onnx      passes onnx.checker; ONNX Runtime's score and probability are within 1e-5 of ours, as a share
                 of max(1, |ours|), and its label is ours wherever the score is not that close to the threshold
  NAME.likelier  is opened by safetensors; its JSON is canonical and that of the ONNX file; its tensors have the
                 shapes that docs/model-file.md states, and are the numbers of the ONNX file bit by bit

    python crates/likelier/tests/golden/models.py DIR ...
"""

import json
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from safetensors import safe_open

TOLERANCE = 1e-5


def inputs_of(metadata, case):
    """What the graph is fed: numbers and texts, taken out of the rows in the model's order."""
    rows = np.array(case["rows"], dtype=np.float32)
    numbers, feeds, at = [], {}, 0
    for column in metadata["features"]:
        if column["kind"] == "number":
            numbers.append(at)
            at += width_of(column)
        else:
            at += len(column["values"])
            feeds[column["name"]] = np.array(case["texts"][column["name"]], dtype=object).reshape(-1, 1)
    assert at == rows.shape[1]
    if "numbers" in case:
        # As a file has them: None is missing, and what is far from zero needs 64 bits.
        far = any("offset" in column for column in metadata["features"])
        feeds["features"] = np.array(case["numbers"], dtype=np.float64 if far else np.float32)
        assert np.isnan(feeds["features"]).any()
    elif numbers:
        feeds["features"] = rows[:, numbers]
    return feeds


def width_of(column):
    """How many features a column is."""
    return 1 + column.get("missing", False) if column["kind"] == "number" else len(column["values"])


def relative(theirs, ours):
    ours = np.array(ours, dtype=np.float64)
    return np.abs(theirs - ours) / np.maximum(1, np.abs(ours))


def check_onnx(folder, case):
    path = folder / f"{case['name']}.onnx"
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert model.producer_name == "likelier" and model.producer_version
    [prop] = model.metadata_props
    assert prop.key == "likelier"
    metadata = json.loads(prop.value)

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feeds = inputs_of(metadata, case)
    assert {given.name for given in session.get_inputs()} == set(feeds)
    assert all(given.shape[0] == "N" for given in session.get_inputs() + session.get_outputs())
    score, probability, label = session.run(["score", "probability", "label"], feeds)
    assert score.dtype == probability.dtype == np.float32 and label.dtype == np.int64
    assert score.shape == probability.shape == label.shape == (len(case["rows"]),)
    off = relative(score, case["scores"])
    off_probability = relative(probability, case["probabilities"])
    assert off.max() < TOLERANCE, f"scores are off by {off.max():.1e}"
    assert off_probability.max() < TOLERANCE, f"probabilities are off by {off_probability.max():.1e}"
    clear = np.abs(np.array(case["scores"]) - metadata["threshold"]) > TOLERANCE
    assert clear.sum() >= len(clear) - 1
    assert (label == case["labels"])[clear].all(), "labels differ"
    assert 0 < label.sum() < len(label), "both labels occur"
    # One row alone, and none at all.
    alone = session.run(["score"], {name: values[:1] for name, values in feeds.items()})[0]
    assert relative(alone, case["scores"][:1]).max() < TOLERANCE
    none = session.run(["score", "label"], {name: values[:0] for name, values in feeds.items()})
    assert [len(values) for values in none] == [0, 0]
    return model, prop.value, off.max(), off_probability.max()


def layers_of(metadata):
    """The shapes that docs/model-file.md states, in the order of the layers."""
    model = metadata["model"]
    width = sum(width_of(column) for column in metadata["features"])
    dense = lambda inputs, outputs: [("dense.weight", [inputs, outputs]), ("dense.bias", [outputs])]
    norm = lambda channels: [
        (f"norm.{part}", [channels]) for part in ("scale", "shift", "running_mean", "running_variance")
    ]
    conv = lambda kernel, inputs, outputs: [("conv.weight", [kernel, kernel, inputs, outputs])]
    layers = []
    if model["kind"] == "linear":
        layers.append(dense(width, 1))
    elif model["kind"] == "mlp":
        if model["norm"] == "input":
            layers.append(norm(width))
        for units in model["hidden"]:
            layers.append(dense(width, units))
            if model["norm"] == "each-layer":
                layers.append(norm(units))
            width = units
        layers.append(dense(width, 1))
    else:
        layers += [conv(3, model["image"][0], model["stem"]), norm(model["stem"])]
        inputs = model["stem"]
        for stage, (blocks, channels) in enumerate(model["stages"]):
            for block in range(blocks):
                layers += [conv(3, inputs, channels), norm(channels), conv(3, channels, channels)]
                if inputs != channels or (stage > 0 and block == 0):
                    layers += [conv(1, inputs, channels), norm(channels)]
                layers.append(norm(channels))
                inputs = channels
        layers.append(dense(inputs, 1))
    return {f"layers.{k}.{name}": shape for k, layer in enumerate(layers) for name, shape in layer}


def check_model_file(folder, case, model, text):
    path = folder / f"{case['name']}.likelier"
    with safe_open(path, framework="numpy") as file:
        assert set(file.metadata()) == {"likelier"}
        own = file.metadata()["likelier"]
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    metadata = json.loads(text)
    signed = json.loads(own)
    checksum = signed.pop("checksum", None)
    assert signed == metadata, "both files say the same"
    assert metadata["format"] == (1 if checksum is None else 2)
    # Small and large floats apart (Python writes 1e-05 for 1e-5), the canonical form is Python's too.
    again = json.dumps(metadata, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert again == text, "the JSON is canonical"

    expected = layers_of(metadata)
    width = len(case["rows"][0])
    expected |= {"scaling.offset": [width], "scaling.factor": [width]}
    assert {name: list(tensor.shape) for name, tensor in tensors.items()} == expected
    assert all(tensor.dtype == np.float32 for tensor in tensors.values())
    constants = {
        constant.name.removeprefix("likelier/"): numpy_helper.to_array(constant)
        for constant in model.graph.initializer
    }
    for name, tensor in tensors.items():
        if name in constants:
            turned = tensor.transpose(3, 2, 0, 1) if tensor.ndim == 4 else tensor
            assert np.ascontiguousarray(turned).tobytes() == constants[name].tobytes(), name
        else:
            assert name.startswith("scaling."), f"{name} is not in the ONNX file"

    # The bytes: length, header padded with spaces to eight, tensors in the order of their names, no gaps.
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = data[8 : 8 + length]
    assert length % 8 == 0 and header.rstrip(b" ").endswith(b"}") and header.startswith(b'{"__metadata__"')
    body = b"".join(tensors[name].tobytes() for name in sorted(tensors, key=lambda name: name.encode()))
    assert data[8 + length :] == body
    if checksum is not None:
        unsigned = own.replace(f'"checksum":"{checksum}"', '"checksum":"00000000"', 1)
        assert f"{zlib.crc32(unsigned.encode() + body):08x}" == checksum


def main():
    checked = 0
    for folder in map(Path, sys.argv[1:]):
        for path in sorted(folder.glob("*.json")):
            case = json.loads(path.read_text())
            model, text, off, off_probability = check_onnx(folder, case)
            check_model_file(folder, case, model, text)
            largest = max(abs(score) for score in case["scores"])
            print(
                f"{case['name']:16} {len(case['scores'])} rows, |score| up to {largest:7.3f}: "
                f"score off by {off:.1e}, probability by {off_probability:.1e}, labels agree"
            )
            checked += 1
    assert checked, "no models found"
    print(f"{checked} models agree with ONNX Runtime {onnxruntime.__version__}")


main()
