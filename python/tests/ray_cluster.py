"""A small Ray cluster on this machine, for tests and measurements. Run it where there is no network but loopback."""

import os
import threading
import time
from contextlib import contextmanager

from likelier import _cluster

#: Of each node.
STORE = 200_000_000


@contextmanager
def cluster(nodes, cpus=1, store=STORE):
    """So many nodes with so many CPUs each; yields the cluster and its nodes. The first cannot be killed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.cluster_utils import Cluster

    sizes = {"num_cpus": cpus, "object_store_memory": store}
    made = Cluster(initialize_head=True, head_node_args={**sizes, "include_dashboard": False})
    try:
        rest = [made.add_node(**sizes) for _ in range(nodes - 1)]
        ray.init(address=made.address, log_to_driver=False, logging_level="error")
        while len([node for node in ray.nodes() if node["Alive"]]) < nodes:
            time.sleep(0.05)
        yield made, rest
    finally:
        ray.shutdown()
        made.shutdown()


def kill(made, node):
    """Ends a node as a power cut would."""
    made.remove_node(node, allow_graceful=False)


def killed_after(made, rest, seconds):
    """A thread that kills the first of the nodes when some time has passed."""

    def wait_and_kill():
        time.sleep(seconds)
        kill(made, rest.pop(0))

    thread = threading.Thread(target=wait_and_kill, daemon=True)
    thread.start()
    return thread


@contextmanager
def actors_killed(asks, rng):
    """Within it, one of the actors that hold shards is killed at each of these asks; yields what happened."""
    import ray

    happened = {"asks": 0, "restarts": 0}
    real = _cluster.Answering.__call__

    def killing(self, ask):
        happened["asks"] += 1
        if happened["asks"] in asks:
            ray.kill(self.actors[int(rng.integers(len(self.actors)))], no_restart=True)
        answers = real(self, ask)
        happened["restarts"] = self.restarts
        return answers

    _cluster.Answering.__call__ = killing
    try:
        yield happened
    finally:
        _cluster.Answering.__call__ = real
