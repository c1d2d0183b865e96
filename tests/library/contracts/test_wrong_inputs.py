"""Public functions with any input: they work, or their error names what was passed and what is expected.

Generated: every argument of every function that outside code may rely on (DESIGN, section 5) gets every value of one
pool. What this sees, in any of them: an AttributeError, IndexError or RuntimeError from the depths; a message that
leaves out which argument it was; a wrong kind of thing that is taken in silence.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.data import corpora, tokenizers
from core.data.corpora import CorpusRefused
from core.data.tokenizers import BPETokenizer, CharTokenizer, TiktokenTokenizer, WordTokenizer
from core.generate import filters
from core.generate.beam import beam_search
from core.generate.decode import generate
from core.inspect.attention_record import attention
from core.models import registry
from core.models.gpt import GPTConfig
from core.models.ngram import NGram
from core.models.pretrained import load
from core.nn import masks, positions
from core.nn.attention import MultiHeadAttention, attend
from core.nn.recurrent import AdditiveAttention, GRUCell, LSTMCell, RNNCell
from core.nn.tap import Trace
from core.train.recipes import RECIPES
from core.train.run import TrainRun
from tests import tiny_model

TEXT = "the quick brown fox jumps over the lazy dog. " * 30
MODELS = {kind: registry.build(config) for kind, config in {
    "gpt": GPTConfig(vocab_size=9, context_length=8, n_layer=1, n_head=2, d_model=8),
    "rotary": GPTConfig(vocab_size=9, context_length=8, n_layer=1, n_head=2, d_model=8, positions="rotary"),
    "bert": registry.from_dict({"kind": "bert", "vocab_size": 9, "n_layer": 1, "n_head": 2, "d_model": 8}),
    "rnn": registry.from_dict({"kind": "rnn", "vocab_size": 9, "n_layer": 1, "d_model": 8}),
}.items()}  # fmt: skip
BOTH = {kind: registry.build(registry.from_dict({"kind": kind, "vocab_size": 9, **sizes})) for kind, sizes in {
    "t5": {"n_layer": 1, "n_head": 2, "d_model": 8},
    "transformer": {"n_layer": 1, "n_head": 2, "d_model": 8},
    "seq2seq": {"source_vocab": 9, "d_model": 8},
}.items()}  # fmt: skip
IDS = torch.tensor([[1, 2, 3]])
ROW = [1, 2, 3]
Q = torch.ones(1, 2, 3, 4)
LOGITS = torch.tensor([0.5, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
COUNTED = NGram(2, 9).fit(ROW)
WORDS = WordTokenizer.train(TEXT)


class Thing:
    """Nothing that any function here could mean."""


POOL = {
    "None": None,
    "a thing": Thing(),
    "a text": "the fox",
    "bytes": b"fox",
    "a float": 2.5,
    "minus one": -1,
    "many": 300,
    "True": True,
    "a list": [1, 2],
    "an empty list": [],
    "a list of floats": [0.5, 1.5],
    "a ragged list": [[1], [2, 3]],
    "a list of texts": ["the", "fox"],
    "a dict": {"a": 1},
    "a path": Path("nowhere/at/all"),
    "an array": np.ones((2, 3)),
    "an array of ids": np.array([1, 2, 3]),
    "a tensor of one dimension": torch.ones(3),
    "a tensor of no dimension": torch.tensor(1.0),
    "ids of one dimension": torch.tensor([1, 2]),
    "unknown ids": torch.tensor([[1, 99]]),
    "a wide tensor": torch.ones(2, 3, 7, 5),
    "booleans": torch.ones(2, 2, dtype=torch.bool),
    "double": torch.ones(1, 2, 3, 4, dtype=torch.float64),
}


@dataclass(frozen=True)
class Case:
    """A function with arguments that work; those that are no more than true or false are not among them."""

    call: Callable[..., Any]
    valid: dict[str, Any]


def traced(model: Any, edits: Any = None, key: Any = "logits") -> torch.Tensor:
    with Trace(model, edits) as trace:
        MODELS["gpt"](IDS)
    return trace[key]


def edited(result: Any) -> torch.Tensor:
    with Trace(MODELS["gpt"], {"blocks.0.attn.out": lambda _: result}) as trace:
        MODELS["gpt"](IDS)
    return trace["logits"]


def written(**arguments: Any) -> list[Any]:
    return [step.token.tolist() for step in generate(**arguments)]


def uniform(ids: torch.Tensor) -> torch.Tensor:
    return torch.full((len(ids), 9), 1 / 9).log()


def resumed(folder: Any, device: Any = "cpu") -> TrainRun:
    return TrainRun.resume(folder, device, text=TEXT)


def cases(folder: Path) -> dict[str, Case]:
    recipe = RECIPES["python-topics"]
    model = {"n_layer": 1, "n_head": 2, "d_model": 8, "context_length": 8}
    small = type(recipe)(name="small", title="Small", corpus="stories", model=model, n_step=2, batch_size=2)
    run = TrainRun(small, 0, "cpu", text=TEXT)
    run.save(folder / "run")
    tiny_model.write(folder / "model")
    made = {
        "Trace": Case(traced, {"model": MODELS["gpt"], "edits": {}, "key": "logits"}),
        "an edit": Case(edited, {"result": torch.ones(1, 3, 8)}),
        "attend": Case(attend, {"q": Q, "k": Q, "v": Q, "mask": torch.ones(3, 3, dtype=torch.bool), "bias": None,
                                "scale": 0.5}),
        "MultiHeadAttention": Case(MultiHeadAttention, {"d_model": 8, "n_head": 2, "d_head": 4}),
        "attention's call": Case(MultiHeadAttention(8, 2), {"x": torch.ones(1, 3, 8), "memory": torch.ones(1, 3, 8),
                                                            "mask": torch.ones(3, 3, dtype=torch.bool)}),
        "causal": Case(masks.causal, {"n_query": 2, "n_key": 3}),
        "full": Case(masks.full, {"n_query": 2, "n_key": 3}),
        "padding": Case(masks.padding, {"lengths": torch.tensor([1, 2]), "n_key": 3}),
        "prefix": Case(masks.prefix, {"n": 3, "n_prefix": 1}),
        "sliding_window": Case(masks.sliding_window, {"n": 3, "window": 2}),
        "sinusoidal": Case(positions.sinusoidal, {"n_position": 3, "d_model": 4}),
        "rotate": Case(positions.rotate, {"x": Q, "positions": torch.arange(3), "base": 100.0}),
        "alibi_slopes": Case(positions.alibi_slopes, {"n_head": 6}),
        "alibi_bias": Case(positions.alibi_bias, {"n_head": 2, "n_query": 3, "n_key": 3}),
        "relative_buckets": Case(positions.relative_buckets, {"relative_position": torch.arange(-3, 3),
                                 "n_bucket": 32, "max_distance": 128}),
        "AdditiveAttention": Case(AdditiveAttention, {"d_query": 3, "d_key": 4, "d_hidden": 5}),
        "additive's call": Case(AdditiveAttention(3, 4, 5), {"query": torch.ones(2, 3), "keys": torch.ones(2, 6, 4),
                                                             "mask": torch.ones(2, 6, dtype=torch.bool)}),
        "build": Case(registry.build, {"config": MODELS["gpt"].config, "seed": 0}),
        "GPTConfig": Case(GPTConfig, {"vocab_size": 9, "n_layer": 1, "n_head": 2, "d_model": 8}),
        "NGram": Case(NGram, {"order": 2, "vocab_size": 9, "smoothing": "mle"}),
        "NGram's gamma": Case(partial(NGram, 2, 9, "lidstone"), {"gamma": 0.5}),
        "fit": Case(NGram(2, 9).fit, {"ids": ROW}),
        "probabilities": Case(COUNTED.probabilities, {"context": ROW}),
        "NGram's logits": Case(COUNTED.logits, {"ids": IDS}),
        "perplexity": Case(COUNTED.perplexity, {"ids": ROW}),
        "load": Case(load, {"folder": folder / "model"}),
        "repetition_penalty": Case(filters.repetition_penalty, {"logits": LOGITS, "ids": torch.tensor(ROW),
                                                                "penalty": 2}),
        "no_repeat_ngram": Case(filters.no_repeat_ngram, {"logits": LOGITS, "ids": torch.tensor(ROW), "n": 2}),
        "generate": Case(written, {"model": MODELS["gpt"], "ids": ROW, "max_new_tokens": 2, "filters": [],
                                   "seed": 0, "eos_id": 3}),
        "generate by a rotary model": Case(written, {"model": MODELS["rotary"], "ids": ROW, "max_new_tokens": 2}),
        "beam_search": Case(beam_search, {"next_log_probs": uniform, "prefix": ROW, "n_beam": 2, "max_new_tokens": 2,
                                          "eos_id": 3, "length_penalty": 1.0, "early_stopping": False}),
        "attention of a text": Case(attention, {"model": MODELS["gpt"], "ids": ROW}),
        "tokenizers.load": Case(tokenizers.load, {"folder": folder / "model"}),
        "save a tokenizer": Case(WORDS.save, {"folder": folder / "saved"}),
        "TiktokenTokenizer": Case(TiktokenTokenizer, {"name": "no such vocabulary"}),
        "corpora.load": Case(corpora.load, {"name": "bottle-and-cup"}),
        "TrainRun": Case(partial(TrainRun, text=TEXT), {"recipe": small, "seed": 0, "device": "cpu"}),
        "advance": Case(run.advance, {"steps": 1, "seconds": 0.1}),
        "save": Case(run.save, {"folder": folder / "saved"}),
        "resume": Case(resumed, {"folder": folder / "run", "device": "cpu"}),
    }  # fmt: skip
    for cell in (RNNCell, GRUCell, LSTMCell):
        state = torch.ones(2, 3)
        made[cell.__name__] = Case(cell, {"d_input": 4, "d_hidden": 3})
        made[f"{cell.__name__}'s call"] = Case(
            cell(4, 3), {"x": torch.ones(2, 4), "state": (state, state) if cell is LSTMCell else state}
        )
    for name, value in {"temperature": 0.5, "top_k": 2, "top_p": 0.5, "min_p": 0.5, "typical_p": 0.5, "epsilon": 0.1,
                        "eta": 0.1}.items():  # fmt: skip
        argument = {"temperature": "t", "top_k": "k", "epsilon": "e", "eta": "e"}.get(name, "p")
        made[name] = Case(getattr(filters, name), {"logits": LOGITS, argument: value})
    for kind, model in MODELS.items():
        made[f"a {kind}'s call"] = Case(model, {"ids": IDS})
    for kind, model in BOTH.items():
        made[f"a {kind}'s call"] = Case(model, {"source": IDS, "target_in": IDS, "mask": torch.ones(1, 3) > 0})
    for cls in (CharTokenizer, WordTokenizer, BPETokenizer):
        tokenizer = cls.train(TEXT)
        made[f"{cls.__name__}.train"] = Case(cls.train, {"text": TEXT, "vocab_size": 300})
        made[f"{cls.__name__}.encode"] = Case(tokenizer.encode, {"text": TEXT})
        made[f"{cls.__name__}.decode"] = Case(tokenizer.decode, {"ids": ROW})
        made[f"{cls.__name__}.tokens"] = Case(tokenizer.tokens, {"ids": ROW})
    return made


# What else a message may call an argument: what it is, where it has no name for a person, or what it must fit.
ALSO = {"t": ("temperature",), "k": ("top_k",), "e": ("epsilon", "eta"), "p": ("top_p", "min_p", "typical_p"),
        "penalty": ("repetition_penalty",), "n": ("no_repeat_ngram",), "config": ("registered config",),
        "name": ("vocabulary", "text named"), "folder": ("path",), "result": ("edit",), "key": ("tensor",),
        "context": ("ids",), "n_key": ("lengths",), "source": ("mask",), "keys": ("mask",), "query": ("mask",),
        "x": ("memory", "positions"), "logits": ("ids",), "ids": ("text", "prompt"),
        "max_new_tokens": ("text",)}  # fmt: skip
PLAIN = (ValueError, TypeError, FileNotFoundError, CorpusRefused, KeyError)


def test_every_wrong_input_gets_a_clear_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a folder may be named like any text of the pool
    faults = []
    for name, case in cases(tmp_path).items():
        valid = dict(case.valid)
        for argument in valid:
            for label, wrong in POOL.items():
                if name == "corpora.load" and isinstance(wrong, str):
                    continue
                fault = fault_of(case, argument, wrong)
                if fault:
                    faults.append(f"{name}({argument}={label}): {fault}")
    assert not faults, "\n".join([f"{len(faults)} faults", *faults])


def fault_of(case: Case, argument: str, wrong: Any) -> str | None:
    """Return what is wrong with the answer, or None."""
    try:
        case.call(**{**case.valid, argument: wrong})
    except PLAIN as error:
        said = str(error)
        names = (argument, *ALSO.get(argument, ()))
        if not any(one in said for one in names) or len(said) < 15:
            return f"{type(error).__name__} does not name it: {said[:100]!r}"
        return f"a KeyError: {said}" if isinstance(error, KeyError) and argument != "key" else None
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"
    return "was taken in silence" if isinstance(wrong, Thing | bytes) else None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: COUNTED.logits(IDS), lambda: COUNTED.logits([ROW])),
        (lambda: COUNTED.perplexity(ROW), lambda: COUNTED.perplexity(np.array(ROW))),
        (lambda: written(model=MODELS["gpt"], ids=ROW, max_new_tokens=3),
         lambda: written(model=MODELS["gpt"], ids=np.array(ROW), max_new_tokens=3)),
        (lambda: written(model=MODELS["gpt"], ids=ROW, max_new_tokens=3),
         lambda: written(model=MODELS["gpt"], ids=[torch.tensor(one) for one in ROW], max_new_tokens=3)),
        (lambda: masks.padding(torch.tensor([1, 3]), 4), lambda: masks.padding([1, 3], 4)),
        (lambda: positions.rotate(Q, torch.arange(3)), lambda: positions.rotate(Q, range(3))),
        (lambda: filters.no_repeat_ngram(LOGITS, torch.tensor(ROW), 1),
         lambda: filters.no_repeat_ngram(LOGITS, np.array(ROW), 1)),
        (lambda: WORDS.decode(ROW), lambda: WORDS.decode(torch.tensor(ROW))),
        (lambda: attention(MODELS["gpt"], ROW).weights, lambda: attention(MODELS["gpt"], np.array(ROW)).weights),
        (lambda: beam_search(uniform, ROW, 2, 2).hypotheses,
         lambda: beam_search(uniform, torch.tensor(ROW), 2, 2).hypotheses),
    ],
)  # fmt: skip
def test_ids_may_be_a_list_an_array_or_a_tensor(one: Callable[[], Any], other: Callable[[], Any]) -> None:
    first, second = one(), other()
    assert np.array_equal(first, second) if hasattr(first, "shape") else first == second


def test_a_missing_folder_is_named_with_its_path(tmp_path: Path) -> None:
    """With the name alone nobody sees that it was looked for in another place."""
    for look in (load, tokenizers.load, TrainRun.resume):
        with pytest.raises((ValueError, FileNotFoundError)) as refused:
            look(str(tmp_path / "here" / "model"))
        assert str(tmp_path / "here") in str(refused.value) and "model" in str(refused.value)
