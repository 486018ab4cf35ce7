"""Forks, signals and threads around the work."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import karcher
import numpy as np
import pytest
from karcher import (
    SPD,
    FrechetMean,
    PrivateFrechetMean,
    PrivateGeodesicRegression,
    Sphere,
)

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

X = np.tile([0.6, 0.0, 0.8], (2000, 1))
PRIVATE = {"manifold": "sphere:2", "radius": 0.8, "center": [0.0, 0.0, 1.0], "epsilon": 1.0}


def in_a_child(queue):
    """Everything that works on several threads in Rust."""
    private = PrivateFrechetMean(**PRIVATE).fit(X).estimate_
    tensors = SPD(3, metric="affine-invariant").random_point(500, scale=0.1, random_state=1)
    FrechetMean(SPD(3, metric="affine-invariant")).fit(tensors)
    Sphere(2).dist(X, X)
    karcher.audit("sphere:2", 0.5, 5, epsilon=1.0, mechanism="laplace", releases=200)
    queue.put((private.tolist(), Sphere(2).random_point().tolist()))


@posix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_children_work_and_never_draw_the_same_noise():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    in_a_child(queue)  # so that the parent has threads of its own when it forks
    drawn = [queue.get(timeout=300)]
    children = [context.Process(target=in_a_child, args=(queue,)) for _ in range(3)]
    for child in children:
        child.start()
    try:
        drawn += [queue.get(timeout=300) for _ in children]
        for child in children:
            child.join(300)
            assert child.exitcode == 0
    finally:
        for child in children:
            child.kill()
    # the parent goes on, and no two draws are the same
    in_a_child(queue)
    drawn.append(queue.get(timeout=300))
    assert len({str(private) for private, _ in drawn}) == len({str(point) for _, point in drawn}) == 5


@posix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_works_is_safe():
    big = np.tile(SPD(12).random_point(200, scale=0.05, random_state=1), (40, 1, 1))
    done = threading.Event()

    def work():
        while not done.is_set():
            FrechetMean(SPD(12)).fit(big)

    thread = threading.Thread(target=work)
    thread.start()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    try:
        for _ in range(3):
            child = context.Process(target=in_a_child, args=(queue,))
            child.start()
            try:
                queue.get(timeout=300)
                child.join(300)
                assert child.exitcode == 0
            finally:
                child.kill()
    finally:
        done.set()
        thread.join()


LONG = {
    "audit": 'karcher.audit("kendall:40", 0.3, 500, epsilon=1.0, mechanism="laplace", releases=4_000_000)',
    "mean": "[karcher.FrechetMean(curved).fit(tensors) for _ in range(100)]",
    "private mean": (
        "private = karcher.PrivateFrechetMean(curved, 2.0, np.eye(30), epsilon=1.0, mechanism='laplace')\n"
        "    [private.fit(tensors) for _ in range(100)]"
    ),
    "random points": "curved.random_point(10**5, scale=0.01)",
    "distances": "[curved.dist(np.eye(30), tensors) for _ in range(1000)]",
}


@posix
@pytest.mark.parametrize("call", LONG.values(), ids=LONG.keys())
def test_ctrl_c_is_heard_at_once_and_work_goes_on_after_it(call):
    program = f"""
import signal, sys, time, numpy as np, karcher, karcher.estimators
curved = karcher.SPD(30, metric="affine-invariant")
tensors = np.tile(curved.random_point(100, scale=0.02, random_state=1), (150, 1, 1))
print("ready", flush=True)
try:
    {call}
    print("ended by itself")
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
karcher.Sphere(2).dist([1.0, 0.0, 0.0], [[0.0, 1.0, 0.0]])
print("and goes on", flush=True)
"""
    # new processes inherit ignored signals: Python then raises no KeyboardInterrupt
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.4)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=300)
    finally:
        child.kill()
    lines = out.splitlines()
    assert lines[0].startswith("interrupted") and lines[1] == "and goes on" and child.returncode == 0, out
    # polled every 0.05 s; undisturbed, every one of the calls takes longer than the bound
    assert float(lines[0].split()[1]) - sent < 5.0


def test_other_errors_than_ctrl_c_come_out_of_signal_handlers():
    program = """
import signal, karcher
def handler(signum, frame):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    karcher.audit("kendall:40", 0.3, 500, epsilon=1.0, mechanism="laplace", releases=4_000_000)
except TimeoutError as problem:
    print(problem)
"""
    if hasattr(signal, "setitimer"):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
        assert run.stdout == "enough\n", run.stderr


def test_without_any_thread_there_is_a_sentence():
    pytest.importorskip("resource")
    program = """
import os, resource, numpy as np, numpy.ma, karcher
sphere = karcher.Sphere(2), karcher.Error  # what is imported later is not readable
os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    karcher.Sphere(2).dist([1.0, 0.0, 0.0], np.tile([0.0, 1.0, 0.0], (400_000, 1)))
except karcher.Error as problem:
    print(problem)
"""
    if os.getuid() != 0:
        pytest.skip("only root may become another user")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=environment)
    assert "the system starts no thread for karcher" in run.stdout and run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("asked", ["1", "30000", "0", "many"])
def test_threads_are_as_many_as_asked_for_within_reason(asked):
    program = """
import os, karcher, numpy
karcher.Sphere(2).dist([1.0, 0.0, 0.0], numpy.tile([0.0, 1.0, 0.0], (400_000, 1)))
print(sum(open(f"/proc/self/task/{task}/comm").read().startswith("karcher") for task in os.listdir("/proc/self/task")))
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads cannot be counted here")
    environment = {**os.environ, "RAYON_NUM_THREADS": asked}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=environment)
    cores = len(os.sched_getaffinity(0))
    assert run.returncode == 0, run.stderr
    assert 1 <= int(run.stdout) <= {"1": 1, "30000": 8 * cores}.get(asked, cores)


def test_few_numbers_that_make_a_large_result_are_left_to_threads():
    """There a signal is heard: the thread that calls would compute all pairs of rows before it hears one."""
    program = """
import os, karcher, numpy
u = numpy.tile([0.0, 1.0, 0.0], (2_000, 1))
karcher.Sphere(2).inner(numpy.array([1.0, 0.0, 0.0]), u[:, None], u[None])
print(sum(open(f"/proc/self/task/{task}/comm").read().startswith("karcher") for task in os.listdir("/proc/self/task")))
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads cannot be counted here")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and int(run.stdout) >= 1, run.stdout + run.stderr


def test_several_threads_release_at_the_same_time():
    results, x, y = [], np.linspace(0, 1, 500), np.tile([0.1, 0.2], (500, 1))
    public = {
        "predictor_range": (0, 1),
        "radius": 1.0,
        "slope_bound": 1.0,
        "residual_bound": 0.5,
        "mu": 1.0,
        "random_state": 3,
    }

    def fit():
        results.append(PrivateGeodesicRegression("euclidean", **public).fit(x, y).footpoint_.tobytes())

    threads = [threading.Thread(target=fit) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 16 and len(set(results)) == 1
