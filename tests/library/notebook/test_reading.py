"""The data of a notebook's pictures equals what the model computes, for our models and for Hugging Face's."""

import json
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, T5Config, T5ForConditionalGeneration

from core.browser.message_packing import unpack_message
from core.data.tokenizers import CharTokenizer
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.models import pretrained
from core.nn.tap import Trace
from core.notebook import heads, matrix, model_map, next_token
from core.notebook.reading import run_model_on_text
from core.notebook.views import _NotebookView

TEXT = "Tom and Mia played near the park."
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


class Letters:
    """A tokenizer as Hugging Face has them."""

    own = CharTokenizer.train(TEXT)

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        return {"input_ids": torch.tensor([self.own.encode(text)])}

    def decode(self, ids: list[int]) -> str:
        return self.own.decode([i for i in ids if i < self.own.vocab_size])


def messages(shown: _NotebookView) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Widget -> what it is sent in a page."""
    content = shown.page.partition('id="content">')[2].partition("</script>")[0]
    read = [unpack_message(zlib.decompress(b64decode(one["data"]))) for one in json.loads(content)["widgets"]]
    return {header.get("widget") or header["choice"]["name"]: (header, arrays) for header, arrays in read}


def gpt2() -> GPT2LMHeadModel:
    torch.manual_seed(0)
    config = GPT2Config(n_layer=2, n_head=2, n_embd=16, n_positions=64, vocab_size=40, attn_implementation="eager")
    return GPT2LMHeadModel(config)


def test_the_pictures_hold_what_the_model_computed() -> None:
    model = pretrained.load("assets/models/stories")
    trace = Trace.read(model.model, TEXT, model.tokenizer)
    right = np.stack([trace[f"blocks.{layer}.attn.weights"][0].numpy() for layer in range(2)])
    tokens = model.tokenizer.tokens(model.tokenizer.encode(TEXT))
    for one in ("stories", Path("assets/models/stories"), model):
        header, arrays = messages(heads(one, TEXT))["head_grid"]
        assert header["tokens"] == tokens
        assert np.abs(arrays["weights"] / 255 - right).max() <= 0.5 / 255 + 1e-6
        assert np.allclose(messages(matrix(one, TEXT))["matrix"][1]["values"], right, atol=1e-6)
        logits = messages(next_token(one, TEXT))["distribution"][1]["logits"]
        assert np.allclose(logits, trace.arrays()["logits"][0], atol=1e-5)
    assert messages(model_map(model, TEXT))["model_map"][0]["model"]["config"]["d_model"] == 96


def test_what_hugging_face_gives_is_what_our_reading_of_its_files_gives(tmp_path: Path) -> None:
    model = gpt2()
    theirs = run_model_on_text(model, TEXT, Letters())
    model.save_pretrained(tmp_path)
    Letters.own.save(tmp_path)
    ours = run_model_on_text(pretrained.load(tmp_path).model, TEXT, Letters.own)
    assert theirs.tokens == tuple(TEXT) and theirs.foresees
    assert np.abs(theirs.weights - ours.weights).max() < 2e-5
    assert theirs.logits is not None and ours.logits is not None and np.abs(theirs.logits - ours.logits).max() < 2e-5
    assert (theirs.mask == ours.mask).all()
    assert messages(heads(model, TEXT, tokenizer=Letters()))["lines"][0]["rows"] == list(TEXT)


@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_others_that_read(kind: str) -> None:
    torch.manual_seed(0)
    bert = BertConfig(**SIZES, vocab_size=40, max_position_embeddings=64, attn_implementation="eager")
    t5 = T5Config(d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, vocab_size=40, attn_implementation="eager")
    model = BertForMaskedLM(bert) if kind == "bert" else T5ForConditionalGeneration(t5)
    given = run_model_on_text(model.train(), TEXT, Letters())
    assert model.training and given.weights.shape == (2, 2, len(TEXT), len(TEXT)) and not given.foresees
    assert np.allclose(given.weights.sum(-1), 1, atol=1e-5)
    with pytest.raises(ValueError, match="does not predict"):
        next_token(model, TEXT, tokenizer=Letters())


def test_of_a_large_model_only_what_is_asked_for_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.notebook.views.MOST_SENT", 100)
    _, arrays = messages(matrix("stories", TEXT, layer=1, head=2))["matrix"]
    assert np.allclose(arrays["values"], load_model_and_text("stories", TEXT).attention.weights[1, 2], atol=1e-6)
    header, arrays = messages(next_token("stories", TEXT, position=2))["distribution"]
    assert header["context"] == [" Mia"] and np.allclose(
        arrays["logits"][0], load_model_and_text("stories", TEXT).attention.logits[2]
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: heads("no-such-model", TEXT), "one that ships .*stories-bert"),
        (lambda: heads(gpt2(), TEXT), "needs its tokenizer"),
        (lambda: heads(3, TEXT), "not 3"),
        (lambda: heads("stories", ""), "no tokens"),
        (lambda: matrix("stories", TEXT, layer=2), "no layer 2, head 0"),
        (lambda: heads(gpt2(), TEXT * 2, tokenizer=Letters()), "readable up to 64"),
        (lambda: heads(torch.nn.Linear(2, 2), TEXT, tokenizer=Letters()), "neither ours nor Hugging Face's"),
        (lambda: model_map("stories-bert", TEXT), "a browser runs GPTs"),
        (lambda: next_token("stories-bert", TEXT), "does not predict"),
    ],
)
def test_what_cannot_be_shown_is_said_in_plain_words(call: Any, said: str) -> None:
    with pytest.raises(Exception, match=said):
        call()
