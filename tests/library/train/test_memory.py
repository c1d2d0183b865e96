"""Freed memory as seen from outside, in a separate process, because the setting can't be undone."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json, resource
import torch
from core.train.malloc_settings import keep_freed_memory

keep_freed_memory()

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def several():
    return [torch.ones(2**18) for _ in range(20)]  # of a megabyte each, as in a pass of a small model

several()
before = faults()
for _ in range(60):
    several()
small = faults() - before
empty = resident()
large = [torch.ones(2**21) for _ in range(20)]
del large
print(json.dumps({"faults": small, "left": resident() - empty}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux is asked to do it")
def test_small_blocks_stay_and_large_ones_go() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    pages = 20 * 2**20 // 4096  # of one of the sixty lists; left to itself glibc asks for at least these again
    assert found["faults"] < pages / 2
    assert found["left"] < 20_000_000
