"""A small Ray cluster on this machine, for tests and measurements. Run it where there is no network but loopback."""

import os
import time
from contextlib import contextmanager

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
