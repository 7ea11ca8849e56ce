"""Our PyTorch loss under Ray Train: a small network on two CPU workers, from comparisons alone.

    unshare -n sh -c 'ip link set lo up && exec "$@"' sh PYTHON bench/ray_train.py

PYTHON has ray[train], torch and likelier. With GPUs, ``ScalingConfig(num_workers=2, use_gpu=True)`` is all that changes.
"""

import json
import sys
import tempfile

import numpy as np


def train(setup):
    """What each worker does: its share of the comparisons, gradients averaged over all workers after each batch."""
    import ray.train
    import ray.train.torch
    import torch

    from likelier.torch import PcompLoss

    torch.manual_seed(0)
    rank, workers = ray.train.get_context().get_world_rank(), ray.train.get_context().get_world_size()
    X, pairs = (torch.from_numpy(setup[name]) for name in ("X", "pairs"))
    network = torch.nn.Sequential(torch.nn.Linear(X.shape[1], 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    network = ray.train.torch.prepare_model(network)
    loss = PcompLoss("likelihood", prior=setup["prior"], protocol="forced-choice")
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    mine = pairs[rank::workers].long()
    for epoch in range(setup["epochs"]):
        order = torch.randperm(len(mine), generator=torch.Generator().manual_seed(epoch))
        for batch in order.split(128):
            likelier, other = (network(X[mine[batch, side]]).squeeze(1) for side in (0, 1))
            value = loss(likelier, other)
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
    with torch.no_grad():
        scores = network(X).squeeze(1)
    # The likelihood ranks; the prior says where to cut.
    cut = torch.quantile(scores, 1.0 - setup["prior"])
    right = ((scores > cut) == torch.from_numpy(setup["truth"])).float().mean().item()
    ray.train.report({"accuracy": right, "loss": value.item()})
    if rank == 0:
        with open(setup["out"], "w") as file:
            json.dump({"accuracy": round(right, 4), "loss": round(value.item(), 4), "workers": workers}, file)


def main():
    import ray
    from ray.train import ScalingConfig
    from ray.train.torch import TorchTrainer

    from likelier import generate

    rng = np.random.default_rng(0)
    truth = rng.random(2000) < 0.4
    X = (rng.normal(size=(2000, 3)) + truth[:, None]).astype(np.float32)
    pairs = generate(truth, 8000, random_state=0).pairs.astype(np.int64)
    out = tempfile.NamedTemporaryFile("r", suffix=".json")
    setup = {"out": out.name, "X": X, "pairs": pairs, "truth": truth, "prior": 0.4, "epochs": 20}
    ray.init(address="local", num_cpus=3, object_store_memory=200_000_000, include_dashboard=False)
    trainer = TorchTrainer(train, train_loop_config=setup, scaling_config=ScalingConfig(num_workers=2))
    trainer.fit()
    sys.stdout.write(out.read() + "\n")


if __name__ == "__main__":
    main()
