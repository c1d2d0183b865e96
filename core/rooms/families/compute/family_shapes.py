"""What goes in and comes out of each family, measured on tiny models: the shapes behind "seq2vec" and the like."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch

from core.models import registry
from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.t5 import T5Config
from core.rooms.families.compute.families import FAMILIES

LINES = MappingProxyType({"reads": "It reads", "mask": "Mask", "trained": "Trained by"})
N_READ, N_WRITTEN, N_WORD, N_LABEL = 7, 4, 30, 2


@dataclass(frozen=True)
class FamilyShapes:
    """In words, with the numbers of a real pass.

    Args:
        goes_in, comes_out: such as "7 tokens", "7 rows of 30 scores".
    """

    goes_in: str
    comes_out: str


@torch.no_grad()
def shapes() -> dict[str, FamilyShapes]:
    """Run a tiny, untrained model of each family once, on 7 tokens of a vocabulary of 30."""
    ids = torch.zeros((1, N_READ), dtype=torch.long)
    answer = torch.zeros((1, N_WRITTEN), dtype=torch.long)
    sizes: dict[str, Any] = {"vocab_size": N_WORD, "n_layer": 1, "n_head": 2, "d_model": 16}
    gpt = registry.build(GPTConfig(**sizes))(ids)[0]
    heads = ("sequence", "tokens")
    whole, each = (registry.build(BERTConfig(**sizes, head=head, n_label=N_LABEL))(ids)[0] for head in heads)
    t5 = registry.build(T5Config(**sizes))(ids, answer)[0]
    return {
        "decoder": FamilyShapes(f"{N_READ} tokens", f"{_rows(gpt)}, one for each next token"),
        "encoder": FamilyShapes(
            f"{N_READ} tokens",
            f"{len(whole)} scores for the text (class head), or {_rows(each)}, one for each token (token head)",
        ),
        "encoder_decoder": FamilyShapes(
            f"{N_READ} tokens to read and {answer.shape[1]} written so far", f"{_rows(t5)}, one for each next token"
        ),
    }


def table(measured: Mapping[str, FamilyShapes]) -> dict[str, list[str]]:
    """The family table, one line for each family, with the shapes that were measured."""
    return {
        "family": [one.name for one in FAMILIES],
        **{title: [_plain(getattr(one, line)) for one in FAMILIES] for line, title in LINES.items()},
        "goes in": [measured[one.key].goes_in for one in FAMILIES],
        "comes out": [measured[one.key].comes_out for one in FAMILIES],
        "good for": ["; ".join(one.good) for one in FAMILIES],
        "examples": [_plain(one.examples) for one in FAMILIES],
    }


def _plain(markdown: str) -> str:
    return markdown.replace("**", "")


def _rows(scores: torch.Tensor) -> str:
    return f"{scores.shape[0]} rows of {scores.shape[1]} scores"
