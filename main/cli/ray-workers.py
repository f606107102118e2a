"""Starts workers of a run as tasks of a Ray cluster. `rag-ladder submit` makes it the command of a Ray job.

Each task starts one `rag-ladder worker`, which finds its cells in the database of the run. Ray places the tasks, and starts one again, on
another node where its own is gone, when its worker or its node dies. A worker takes its credentials from the environment of its node.
"""

import argparse
import ctypes
import os
import signal
import subprocess
import sys

PROGRAM = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODE_FLAGS = ["--max-semi-space-size=4", "--heap-growing-percent=20", "--no-concurrent-recompilation"]

# Exit codes of `rag-ladder worker`.
DONE, BAD_INPUT, CELLS_FAILED, EVIDENCE_REFUSED = 0, 2, 3, 4


def end_with_parent() -> None:
    """Run in the worker before it starts: it stops when the task that started it is killed. Linux only; elsewhere Ray ends it."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def work(number: int, args: list) -> int:
    """Runs one worker to its end. Raises where another attempt may succeed, so that Ray makes it."""
    installed = os.path.join(PROGRAM, "node_modules", "node", "bin", "node")
    node = installed if os.path.exists(installed) else "node"
    program = os.path.join(PROGRAM, "bin", "rag-ladder.mjs")
    command = [node, *NODE_FLAGS, program, *args, "--name", f"ray-{number}"]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    worker = subprocess.Popen(command, cwd=PROGRAM, env=environment, preexec_fn=end_with_parent)
    code = worker.wait()
    if code in (DONE, BAD_INPUT, CELLS_FAILED, EVIDENCE_REFUSED):
        return code
    raise RuntimeError(f"worker {number} ended with code {code}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--cpus", type=float, required=True)
    parser.add_argument("--retries", type=int, required=True)
    parser.add_argument("--resource")
    parser.add_argument("args", nargs="+", help="arguments of rag-ladder, after --")
    options = parser.parse_args()

    # What one worker prints is no repetition of what another one prints. Read when the package is loaded.
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    import ray

    ray.init()
    # A small part of the resource: it says where tasks run, not how many.
    resources = {} if options.resource is None else {options.resource: 0.001}
    task = ray.remote(work).options(
        num_cpus=options.cpus,
        resources=resources,
        max_retries=options.retries,
        retry_exceptions=True,
        scheduling_strategy="SPREAD",
    )
    numbers = {task.remote(number, options.args): number for number in range(1, options.workers + 1)}
    waiting = list(numbers)
    has_failed = False
    while waiting:
        ended, waiting = ray.wait(waiting, num_returns=1)
        number = numbers[ended[0]]
        try:
            code = ray.get(ended[0])
            outcome = f"ended with code {code}"
            has_failed = has_failed or code in (BAD_INPUT, EVIDENCE_REFUSED)
        except ray.exceptions.RayError as error:
            outcome = f"failed: {str(error).strip().splitlines()[-1]}"
            has_failed = True
        print(f"worker {number} {outcome}", flush=True)
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
