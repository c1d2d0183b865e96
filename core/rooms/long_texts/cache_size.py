"""What is kept of a long text, in bytes: each head's own keys and values, shared ones, and those of a window."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch

from core import ui
from core.exhibit import MAX_FIGURES, Result, memoize, segmented
from core.exhibit import Inputs as Base
from core.generate.keys_values import KeyValues
from core.inspect.costs import model_cost
from core.models import registry
from core.models.gpt import GPTConfig
from core.rooms.long_texts.compute import rolling
from core.rooms.long_texts.compute.rolling import RollingCache
from core.rooms.long_texts.compute.ways import N_SINK
from core.rooms.long_texts.experiments import long_texts as experiment

OURS, MISTRAL = "ours", "mistral"
SIZES = {OURS: "this room's", MISTRAL: "Mistral 7B"}
FULL, GROUPED, ONE, WINDOW = "full", "grouped", "one", "window"
NAMES = {FULL: "each head its own", GROUPED: "grouped heads", ONE: "one for all heads", WINDOW: "a window"}
# Jiang et al. 2023 (2310.06825), table 1.
PUBLISHED: Mapping[str, Any] = MappingProxyType(
    {"vocab_size": 32_000, "context_length": 8_192, "n_layer": 32, "n_head": 32, "d_model": 4_096, "d_ff": 14_336}
)
LENGTHS = {OURS: (32, 64, 128, 256, 512), MISTRAL: (1_024, 2_048, 4_096, 8_192, 16_384, 32_768)}
WINDOWS = {OURS: experiment.TRAINED, MISTRAL: 4_096}
BYTES = {OURS: 4, MISTRAL: 2}
# Heads of keys and values; with a window: as many as the model was made with.
HEADS = {OURS: {FULL: 2, ONE: 1, WINDOW: 2}, MISTRAL: {FULL: 32, GROUPED: 8, ONE: 1, WINDOW: 8}}
N_LETTER = 100  # any: keys and values don't depend on it
CODE = (model_cost.cache_numbers, rolling.RollingCache)


class Inputs(Base, prefix="kept_"):
    size: str = segmented("Model", SIZES, MISTRAL)


def sized(size: str, kind: str) -> GPTConfig:
    """The model with so many heads of keys and values."""
    if size == OURS:
        return experiment.config(N_LETTER, HEADS[OURS][kind])
    return GPTConfig(n_kv_head=HEADS[size][kind], positions="rotary", tied=False, **PUBLISHED)


class Kept(Result):
    """Bytes of keys and values by length."""

    lengths: tuple[int, ...]
    longest: int
    window: int
    computed: dict[str, tuple[int, ...]]  # kind -> bytes at each length, by the sizes
    measured: dict[str, tuple[int, ...]]  # the same, counted in real caches of this room's model; empty for the large
    end: dict[str, int]  # kind -> bytes of the longest text
    agrees: bool  # whether the counted bytes are the computed ones, wherever they were counted

    def table(self) -> dict[str, list[Any]]:
        """One line for each length."""
        found = {f"{NAMES[kind]}: bytes": [*values] for kind, values in self.computed.items()}
        counted = {f"{NAMES[kind]}: bytes, counted": [*values] for kind, values in self.measured.items()}
        return {"length (tokens)": [*self.lengths], **found, **counted}


def formula(size: str, kind: str, length: int) -> int:
    """Bytes that are kept of a text, by the sizes of the model."""
    kept = min(length, WINDOWS[size]) if kind == WINDOW else length
    return BYTES[size] * model_cost.cache_numbers(sized(size, kind), kept)


@memoize(MAX_FIGURES)
def counted(kind: str, length: int) -> int:
    """Bytes of the keys and values that a real cache of this room's model holds after a text of so many tokens."""
    model: Any = registry.build(sized(OURS, kind), 0).eval()  # what its weights are does not matter
    ids = torch.randint(N_LETTER, (length,), generator=torch.Generator().manual_seed(0))
    if kind == WINDOW:
        cache = RollingCache(model, WINDOWS[OURS], N_SINK)
        cache.read(ids)
        return cache.n_byte
    kept = KeyValues(model)
    kept.choose([0], [0], 0)
    with torch.inference_mode():
        kept.read([ids.tolist()], [0])
    # It has room for more than was read; what is filled counts.
    filled = kept.keys[..., :length], kept.values[:, :, :, :length]
    return sum(one.numel() * one.element_size() for one in filled)


def compute(inputs: Inputs) -> Kept:
    """By the sizes; of this room's model also counted."""
    size, lengths = inputs.size, LENGTHS[inputs.size]
    computed = {kind: tuple(formula(size, kind, n) for n in lengths) for kind in HEADS[size]}
    measured = {kind: tuple(counted(kind, n) for n in lengths) for kind in HEADS[size]} if size == OURS else {}
    return Kept(
        lengths=lengths,
        longest=lengths[-1],
        window=WINDOWS[size],
        computed=computed,
        measured=measured,
        end={kind: values[-1] for kind, values in computed.items()},
        agrees=all(values == computed[kind] for kind, values in measured.items()),
    )


def draw(result: Kept, inputs: Inputs) -> None:
    """The bytes of one text by its length."""
    ui.curves(
        {NAMES[kind]: (result.lengths, values) for kind, values in result.computed.items()},
        x="length of the text (tokens)",
        y=ui.Axis("keys and values", unit="bytes"),
        at=result.window,
    )
