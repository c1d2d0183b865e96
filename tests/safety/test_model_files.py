"""T2: model folders changed by chance are refused or load rightly; nothing in them runs, and memory stays small."""

import json
import random
import resource
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from core.models.pretrained import ImportRefused, load
from tests import tiny_model
from tests.counts import count, tally
from tests.library.models.test_hostile_folders import write as write_bert
from tests.safety.hostile import FILES

RUNS = {"pickle.find_class", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect",
        "marshal.loads", "ctypes.dlopen", "code.__new__"}  # fmt: skip
ODD = (None, True, False, -1, 0, 1, 3, 7, 10**6, 10**18, 1e308, 0.5, "", "a", "8", [], {}, [[]], {"a": 1},
       "relative", "rotary", "alibi", "rms", "gelu", "swiglu", "../../etc/passwd", "F16", "F64", "I64", [8, 8],
       [0, 16])  # fmt: skip


@contextmanager
def nothing_runs() -> Iterator[list[str]]:
    """Note whatever would run a program, open a connection or unpickle, while the block lasts."""
    seen: list[str] = []
    watching = True

    def note(event: str, args: tuple[Any, ...]) -> None:
        if watching and event in RUNS:
            seen.append(f"{event} {args[:2]}")

    sys.addaudithook(note)  # cannot be taken away again, only silenced
    yield seen
    watching = False


def changed_json(data: Any, rng: random.Random) -> Any:
    """The same with one value, name or entry changed for something else."""
    at = data
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = rng.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.8:
            at = at[key]
            continue
        way = rng.randrange(4)
        if way == 0:
            del at[key]
        elif way == 1 and isinstance(at, dict):
            at[str(rng.choice(ODD))] = at.pop(key)
        elif isinstance(at[key], int) and way == 2:
            at[key] += rng.choice((-1, 1, 4, 2**31, -(2**40)))
        else:
            at[key] = rng.choice(ODD)
        return data


def changed(raw: bytes, rng: random.Random) -> bytes:
    """A weights file with its header or its bytes changed."""
    n = struct.unpack("<Q", raw[:8])[0]
    if rng.random() < 0.6:
        header = json.dumps(changed_json(json.loads(raw[8 : 8 + n]), rng)).encode()
        return struct.pack("<Q", len(header) + rng.choice((0, 0, 0, 0, 1, -1))) + header + raw[8 + n :]
    data = bytearray(raw)
    for _ in range(rng.randrange(1, 5)):
        data[rng.randrange(min(len(data), 8 + n + 200))] = rng.randrange(256)
    way = rng.randrange(6)
    return bytes(
        data[: rng.randrange(len(data))] if way == 0 else data + data[: rng.randrange(50)] if way == 1 else data
    )


def test_changed_folders_are_refused_or_load_and_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [tiny_model.write(tmp_path / "own", "char", n_layer=1, d_model=8, n_head=1), tmp_path / "bert"]
    folders[1].mkdir()
    write_bert(folders[1])
    good = [((one / "config.json").read_bytes(), (one / "model.safetensors").read_bytes()) for one in folders]
    for folder in folders:
        load(folder)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rng, outcome = random.Random(3), Counter[str]()
    number = count(300, 100_000)
    with nothing_runs() as seen:
        for i in range(number):
            folder, (config, weights) = folders[i % 2], good[i % 2]
            which = rng.randrange(3)
            if which != 0:
                weights = rng.choice(list(FILES.values())) if rng.random() < 0.02 else changed(weights, rng)
            if which != 1:
                config = json.dumps(changed_json(json.loads(config), rng)).encode()
            (folder / "config.json").write_bytes(config)
            (folder / "model.safetensors").write_bytes(weights)
            try:
                loaded = load(folder)
            except ImportRefused:
                outcome["refused"] += 1
            else:
                outcome["loaded"] += 1
                assert all(torch.isfinite(one).all() for one in loaded.model.parameters())
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    assert seen == []
    assert not (tmp_path / "exploded").exists()
    assert grown < 200, f"{grown} MB"
    assert outcome["refused"] > number // 3 and outcome["loaded"] > number // 100
    tally("T2", pairs=number, refused=outcome["refused"], loaded=outcome["loaded"], executed=0, more_MB=grown)
