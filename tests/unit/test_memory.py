"""What becomes of freed memory, seen from outside: a process of its own, because it cannot be undone."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json, resource, sys
import torch
from core.nn.memory import keep_freed_memory

if sys.argv[1] == "keep":
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
    found = {
        how: json.loads(
            subprocess.run([sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=True).stdout
        )
        for how in ("keep", "leave")
    }
    assert 10 * found["keep"]["faults"] < found["leave"]["faults"]
    assert found["keep"]["left"] < 20_000_000
