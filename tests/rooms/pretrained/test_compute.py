"""What is told of a model that was opened, as tables that scripts print: against what they are made of."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from core.inspect.reading.model_key import ModelKey
from core.models import pretrained, registry
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.rooms.pretrained import check, facts
from core.rooms.pretrained.check import Guess, Labels
from core.rooms.pretrained.facts import MEANS, settings_table
from core.rooms.pretrained.names import Names, Renamed, renamed
from core.rooms.pretrained.open_one import READABLE
from core.ui.models.about import size_in_words
from tests import tiny_model


def test_settings_are_named_and_explained() -> None:
    config = GPTConfig(vocab_size=20, n_layer=2, n_head=2, d_model=16, context_length=12)
    table = settings_table(config)
    told = dict(zip(table["setting"], table["value"], strict=True))
    assert told["kind"] == "gpt" and told["d_model"] == "16" and told["block.norm"] == config.block.norm
    fields = {field.name for field in dataclasses.fields(RNNConfig)}
    assert fields | {"kind"} == set(settings_table(RNNConfig(vocab_size=9))["setting"])


@pytest.mark.parametrize("kind", registry.CONFIGS)
def test_every_setting_of_every_family_has_a_meaning(kind: str) -> None:
    fields = {field.name for field in dataclasses.fields(registry.CONFIGS[kind])} - {"block"}
    assert fields | {f"block.{field.name}" for field in dataclasses.fields(BlockStyle)} <= set(MEANS)


def test_tensors_as_a_table(tmp_path: Path) -> None:
    rows = (Renamed("h.0.c_attn", (2, 6), ("wq", "wk"), True), Renamed("h.0.mask", (), (), False))
    assert Names(rows).table() == {
        "in the file": ["h.0.c_attn", "h.0.mask"], "shape": ["2 × 6", ""], "here": ["wq, wk", ""],
        "laid out anew": [True, False],
    }  # fmt: skip
    folder = tiny_model.write(tmp_path / "mine")
    assert renamed(str(folder)) == renamed(folder)


def test_guesses_and_answers_as_tables(tmp_path: Path) -> None:
    table = Guess(1, np.array([0.2, 0.5, 0.3], np.float32), None, 1.0, 1.0, 1, ("a", "b", "c")).table()
    assert table["token"] == ["b", "c", "a"] and table["id"] == [1, 2, 0] and table["probability"][0] == 0.5
    whole = Labels(np.array([0.25, 0.75], np.float32), ("no", "yes"), ("x",)).table()
    assert whole == {"label": ["no", "yes"], "probability": [0.25, 0.75]}
    each = Labels(np.array([[0.25, 0.75], [1, 0]], np.float32), ("no", "yes"), ("x", "y")).table()
    assert each == {"token": ["x", "y"], "label": ["yes", "no"], "probability": [0.75, 1.0]}
    assert check.answer_names(tmp_path, 2) == ("label 0", "label 1")
    (tmp_path / "config.json").write_text('{"id2label": {"0": "bad", "1": "good"}}')
    assert check.answer_names(str(tmp_path), 2) == ("bad", "good")
    assert check.answer_names(tmp_path, 3) == ("label 0", "label 1", "label 2")


def test_how_much_the_tables_of_tokens_weigh() -> None:
    """What the “Try this” of “What it is” says."""
    weigh = {}
    for name in ("stories-rnn", "stories"):
        terms = facts.compute(facts.Inputs(key=ModelKey.at(name))).record.terms
        tables = sum(term.count for term in terms if term.name in ("token embedding", "output layer"))
        weigh[name] = tables, sum(term.count for term in terms)
    assert weigh["stories-rnn"][1] == 23_712 and weigh["stories"][0] > weigh["stories-rnn"][0]
    assert [f"{tables / whole:.0%}" for tables, whole in weigh.values()] == ["80%", "27%"]


def test_an_encoder_decoder_is_told_with_the_layers_of_both_sides() -> None:
    sides = {depth: size_in_words(T5Config(vocab_size=9, n_layer=2, n_decoder_layer=depth)) for depth in (None, 1)}
    assert sides[None].endswith("in the encoder and as many in the decoder")
    assert sides[1].endswith("in the encoder and 1 layer in the decoder")


def test_what_can_be_opened_is_what_is_read() -> None:
    assert {type for _, type, *_ in READABLE} == {*pretrained.FAMILIES, "any"}
