"""The sweep that stands there before anybody has made one, recorded by the same code that runs any other.

python -m core.rooms.sweeps.recorded_example      some minutes; writes assets/rooms/sweeps/example.json
"""

import json
from functools import cache
from pathlib import Path

from core.data import corpora
from core.data.files import write_atomic
from core.jobs.runs import RunInfo
from core.jobs.sweeps.recording import ID, Curves, record, replay
from core.jobs.sweeps.store import Sweep
from core.rooms.sweeps.space import SweepRequest, begin
from core.ui.training.choices import Choice
from core.ui.training.cost import count_tokens

__all__ = ["ID", "REQUEST", "Curves", "read"]
FILE = Path(__file__).resolve().parents[3] / "assets" / "rooms" / "sweeps" / "example.json"
REQUEST = SweepRequest(
    base=Choice(corpus="python-topics", n_layer=2, n_head=4, d_model=64, context_length=32, n_step=320, batch_size=16),
    values={
        "optimizer": ("fast", "adamw"),
        "d_model": (16, 32, 64, 128),
        "learning_rate": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3),
    },
)


@cache
def read() -> tuple[Sweep, list[RunInfo], Curves]:
    """The sweep, its runs and their curves."""
    return replay(json.loads(FILE.read_bytes()), REQUEST.name, REQUEST.about())


if __name__ == "__main__":
    title, vocab_size = corpora.title(REQUEST.base.corpus), count_tokens(REQUEST.base.corpus, "char", None)[0]
    told = record(lambda sweeps: begin(sweeps, "", REQUEST, title, vocab_size))
    write_atomic(FILE, json.dumps(told, separators=(",", ":")).encode())
