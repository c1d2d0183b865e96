"""What the room and its lesson say of the training that ships."""

from typing import Any

from core.models import pretrained
from core.rooms.adapters import fifty_lines
from core.rooms.adapters.experiments.adapters import MODEL, TEXT
from core.ui.training.live import example


def test_what_is_said_of_the_example() -> None:
    run = example("adapters")
    config: Any = pretrained.load(MODEL).config
    assert run is not None
    found = fifty_lines.compute(fifty_lines.Inputs(), run)
    assert found.came is not None and found.came.answer == "hundredth" and found.smallest == 1
    assert 0.35 < found.before[1] < 0.45  # "about 0.4 nats a token"
    assert found.new["full"] > run.record["curve.full.new"].min() + 0.1  # "falls, and then rises again"
    assert 6_000 < found.n_all / 50 < 7_000 and config.vocab_size == 453
    assert found.texts[1].startswith("A cake")
    assert len(TEXT.splitlines()) == 60 and not any(line.startswith("A dog") for line in TEXT.splitlines())
    again = fifty_lines.compute(fifty_lines.Inputs(beginning="A dog"), run)
    assert "ate" in again.texts[4] and "ate" not in again.texts[0].split(".")[0]
