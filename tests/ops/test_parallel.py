import multiprocessing
import os
import threading

import pytest

from mvgraph.ops import parallel as blocks
from mvgraph.ops.parallel import map_rows, ordered


@pytest.fixture(params=[1, 2, 4])
def threads(request, monkeypatch):
    monkeypatch.setattr(blocks, "n_threads", lambda: request.param)
    return request.param


def test_results_in_order_whatever_the_threads(threads):
    assert list(ordered(lambda i: i * i, range(100))) == [i * i for i in range(100)]
    assert map_rows(lambda r: r.start, 10, 3) == [0, 3, 6, 9]
    assert list(ordered(str, [])) == []


def test_blocks_inside_blocks(threads):
    def outer(i):
        return sum(ordered(lambda j: i * j, range(10)))

    assert list(ordered(outer, range(20))) == [45 * i for i in range(20)]


def test_an_error_ends_the_rest(threads):
    done = []

    def work(i):
        if i == 3:
            raise ValueError("three")
        done.append(i)

    with pytest.raises(ValueError, match="three"):
        list(ordered(work, range(1000)))
    assert len(done) < 50
    assert list(ordered(str, range(3))) == ["0", "1", "2"]  # and the threads go on


def test_a_consumer_that_stops_early(threads):
    for value in ordered(lambda i: i, iter(range(1000))):
        if value == 5:
            break
    assert list(ordered(lambda i: i, range(5))) == list(range(5))


def test_two_callers_at_once(threads):
    found = {}

    def call(name):
        found[name] = list(ordered(lambda i: (name, i), range(50)))

    callers = [threading.Thread(target=call, args=(name,)) for name in "ab"]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert found == {name: [(name, i) for i in range(50)] for name in "ab"}


def _in_child(pipe):
    pipe.send(list(ordered(lambda i: i + 1, range(8))))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own(threads):
    list(ordered(str, range(8)))
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_in_child, args=(there,))
    child.start()
    assert here.poll(30)
    assert here.recv() == list(range(1, 9))
    child.join(30)


@pytest.mark.parametrize(
    ("known", "cores"),
    [
        ({"process_cpu_count": lambda: 6, "cpu_count": lambda: 8}, 6),
        ({"sched_getaffinity": lambda _: {0, 1, 5}, "cpu_count": lambda: 8}, 3),
        ({"cpu_count": lambda: 8}, 8),  # macOS and Windows before Python 3.13
        ({"cpu_count": lambda: None}, 1),
        ({"process_cpu_count": lambda: None}, 1),
    ],
)
def test_cores_are_counted_on_every_system(monkeypatch, known, cores):
    for name in ("process_cpu_count", "sched_getaffinity", "cpu_count"):
        monkeypatch.delattr(os, name, raising=False)
    for name, value in known.items():
        monkeypatch.setattr(os, name, value, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert blocks.n_cores() == blocks.n_threads() == cores
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert blocks.n_threads() == min(cores, 2)
