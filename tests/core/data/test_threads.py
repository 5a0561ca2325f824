"""Linear algebra on one thread while a study computes, and as many as before afterwards."""

import json
import os
import subprocess
import sys

import pytest

CODE = """
import json, sys
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
import unswayed
from unswayed.core.data.threads import one_thread
import unswayed.study.searching as fold

def blas():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

seen, plain, answer = [], fold.propose, fold.answer
fold.propose = lambda *given: (seen.append(blas()), plain(*given))[1]
fold.answer = lambda *given, **more: (seen.append(blas()), answer(*given, **more))[1]
before = blas()
study = unswayed.Optimizer(unswayed.Box({"x": unswayed.Real(0, 1)}), threat=1, seed=0)
for play in study.ask(3):
    study.tell(play, play.point["x"])
study.answer()
try:
    with one_thread():
        raise KeyError
except KeyError:
    pass
first, second = one_thread(), one_thread()  # of two Python threads: the one that begins first ends first
first.__enter__()
second.__enter__()
first.__exit__(None, None, None)
overlapping = blas()
second.__exit__(None, None, None)
print(json.dumps({"before": before, "inside": seen, "overlapping": overlapping, "after": blas()}))
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_study_computes_on_one_thread_and_restores_the_others(threads):
    """In a process of its own: these tests run with one thread anyway."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads)), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["before"]
    assert set(found["before"]) == {threads}
    assert found["after"] == found["before"]
    assert set(found["overlapping"]) == {1}
    assert len(found["inside"]) == 4
    assert all(set(one) == {1} for one in found["inside"])
