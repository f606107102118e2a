"""A Ray cluster of this machine for a test: a head without CPUs, and worker nodes. It ends when its input is closed.

Prints one JSON line with the address of the job API and the process number of each worker node.
"""

import json
import os
import socket
import sys


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main() -> None:
    folder, nodes = sys.argv[1], int(sys.argv[2])
    # Read when the package is loaded.
    os.environ["RAY_TMPDIR"] = folder
    from ray.cluster_utils import Cluster

    common = {
        "node_ip_address": "127.0.0.1",
        "object_store_memory": 80_000_000,
        "dashboard_agent_listen_port": 0,
    }
    dashboard = free_port()
    head = {
        **common,
        "num_cpus": 0,
        "gcs_server_port": free_port(),
        "include_dashboard": True,
        "dashboard_host": "127.0.0.1",
        "dashboard_port": dashboard,
    }
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        workers = [cluster.add_node(wait=True, num_cpus=1, resources={"corpus": 1}, **common) for _ in range(nodes)]
        pids = [node.all_processes["raylet"][0].process.pid for node in workers]
        print(json.dumps({"url": f"http://127.0.0.1:{dashboard}", "raylets": pids}), flush=True)
        sys.stdin.read()
    finally:
        cluster.shutdown()


main()
