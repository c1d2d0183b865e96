"""Very small and very large sizes: in the story without a power of ten, deeper as the charts tell them."""

import pytest

from core.charts import decades
from core.rooms.block import sizes_in_words
from core.rooms.block.sizes_in_words import told

SIZES = {0.0: "exactly 0", 5.7e-6: "0.0000057", 0.82: "0.82", 1.7e7: "17.0 million", 3e-38: "less than a billionth",
         9e22: "more than a quadrillion", float("inf"): "too large to store"}  # fmt: skip


@pytest.mark.parametrize(("value", "said"), SIZES.items())
def test_a_size_in_plain_words(monkeypatch: pytest.MonkeyPatch, value: float, said: str) -> None:
    monkeypatch.setattr(sizes_in_words.ui, "at_least", lambda wanted: False)
    assert told(value) == said
    monkeypatch.setattr(sizes_in_words.ui, "at_least", lambda wanted: True)
    assert told(value) == decades.told(value)
