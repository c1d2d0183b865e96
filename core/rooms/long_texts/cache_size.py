"""Bytes of a long text in the KV cache: with separate keys and values per head, shared ones, and a window."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, Inputs as Base, Result, Table, memoize, segmented_control
from core.generate.keys_values import KeyValues
from core.inspect.costs import model_cost
from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.nn.attention import attention_scores
from core.nn.block import Block
from core.nn.positions import RotarySettings, rotate
from core.rooms.long_texts.compute.reading_ways import N_SINK
from core.rooms.long_texts.experiments import long_texts as experiment

LABELS = module_labels(__name__)


class RollingCache:
    """Keys and values of a GPT with rotary positions, for at most `window` tokens.

    Keys are stored before they are rotated. At each step they are rotated by their positions in the cache, 0, 1, 2, …,
    so the first tokens stay near, however long the text has become.

    Args:
        model: a GPT without biases on the scores, sinks or gates, with one rotary for all layers, and no feed-forward
            that reads the previous token.
        window: the number of tokens that are stored.
        n_sink: how many of them are the first ones of the text.

    Source: Xiao et al. 2023 (2309.17453), section 3.2.
    """

    def __init__(self, model: GPT, window: int, n_sink: int = 0):
        self.model, self.window, self.n_sink = model, window, n_sink
        self.keys: list[Tensor] = []  # per layer (1, G, S, K), not rotated yet
        self.values: list[Tensor] = []

    @property
    def n_byte(self) -> int:
        """The bytes of all stored keys and values."""
        return sum(one.numel() * one.element_size() for one in (*self.keys, *self.values))

    @torch.no_grad()
    def read(self, ids: Int[Tensor, " T"]) -> Float[Tensor, "T V"]:
        """Read further tokens one by one, and return the logits after each."""
        return torch.stack([self._step(one) for one in ids])

    def _step(self, token: Int[Tensor, ""]) -> Float[Tensor, " V"]:
        model = self.model
        x = model.embed_norm(model.embed(token[None, None]))  # (1, 1, D)
        block: Any
        for layer, block in enumerate(model.blocks):
            x = x + self._attend(layer, block.norm_1(x))
            x = x + block.mlp(block.norm_2(x))
        return model.soft_capped(model.unembed(model.norm(x)))[0, 0]

    def _attend(self, layer: int, x: Float[Tensor, "1 1 D"]) -> Float[Tensor, "1 1 D"]:
        attn = cast(Sequence[Block], self.model.blocks)[layer].attn
        q, k, v = (w(x).unflatten(-1, (-1, attn.d_head)).transpose(1, 2) for w in (attn.w_q, attn.w_k, attn.w_v))
        q, k = attn.norm_q(q), attn.norm_k(k)
        if layer == len(self.keys):
            self.keys.append(k[:, :, :0])
            self.values.append(v[:, :, :0])
        keys = self.keys[layer] = self._let_go(torch.cat([self.keys[layer], k], 2))  # (1, G, S, K)
        values = self.values[layer] = self._let_go(torch.cat([self.values[layer], v], 2))
        rotary, n_kept = self.model.config.modern.rotary or RotarySettings(), keys.shape[2]
        q, keys = rotate(q, [n_kept - 1], rotary), rotate(keys, range(n_kept), rotary)
        keys, values = (one.repeat_interleave(attn.n_head // attn.n_kv_head, 1) for one in (keys, values))
        weights = attention_scores(q, keys, scale=attn.scale).softmax(-1)  # (1, H, 1, S)
        read: Tensor = attn.w_o((weights @ values).transpose(1, 2).flatten(2))
        return read

    def _let_go(self, kept: Float[Tensor, "1 G S K"]) -> Float[Tensor, "1 G S_kept K"]:
        """Evict tokens beyond the window: keep only the first few and the newest."""
        if kept.shape[2] <= self.window:
            return kept
        newest = kept[:, :, kept.shape[2] - (self.window - self.n_sink) :]
        return torch.cat([kept[:, :, : self.n_sink], newest], 2)


OURS, MISTRAL = "ours", "mistral"
FULL, GROUPED, SHARED, WINDOW = "full", "grouped", "one", "window"
KIND_NAMES = LABELS.options("kind", FULL, GROUPED, SHARED, WINDOW)
# Jiang et al. 2023 (2310.06825), table 1.
MISTRAL_CONFIG: Mapping[str, Any] = {
    "vocab_size": 32_000,
    "context_length": 8_192,
    "n_layer": 32,
    "n_head": 32,
    "d_model": 4_096,
    "d_ff": 14_336,
}
LENGTHS = {OURS: (32, 64, 128, 256, 512), MISTRAL: (1_024, 2_048, 4_096, 8_192, 16_384, 32_768)}
WINDOW_SIZES = {OURS: experiment.TRAINED_LENGTH, MISTRAL: 4_096}
BYTES_PER_NUMBER = {OURS: 4, MISTRAL: 2}
# Heads of keys and values; with a window, as many as the published model has.
N_KV_HEADS = {OURS: {FULL: 2, SHARED: 1, WINDOW: 2}, MISTRAL: {FULL: 32, GROUPED: 8, SHARED: 1, WINDOW: 8}}
N_LETTER = 100  # arbitrary, because keys and values don't depend on it
CODE = (model_cost.count_cache_numbers, RollingCache)


class Inputs(Base, prefix="kept_"):
    size: str = segmented_control((OURS, MISTRAL), MISTRAL)


def _sized_config(size: str, kind: str) -> GPTConfig:
    """Return the model's config with the number of key-value heads of this kind."""
    if size == OURS:
        return experiment.config(N_LETTER, N_KV_HEADS[OURS][kind])
    return GPTConfig(modern=Modern(n_kv_head=N_KV_HEADS[size][kind]), positions="rotary", tied=False, **MISTRAL_CONFIG)


class CacheSizes(Result):
    """Bytes of keys and values by length of the text."""

    lengths: tuple[int, ...]
    longest: int
    window: int
    computed: dict[str, tuple[int, ...]]  # kind -> bytes at each length, from the model's sizes
    measured: dict[str, tuple[int, ...]]  # the same, counted in real caches of this room's model; empty for the large
    end: dict[str, int]  # kind -> bytes of the longest text
    agrees: bool  # True if all counted bytes equal the computed ones

    def table(self) -> Table:
        """Return one row per length."""
        found = {LABELS("computed_bytes", kind=KIND_NAMES[kind]): [*values] for kind, values in self.computed.items()}
        counted = {LABELS("counted_bytes", kind=KIND_NAMES[kind]): [*values] for kind, values in self.measured.items()}
        return {LABELS["length"]: [*self.lengths], **found, **counted}


def _computed_bytes(size: str, kind: str, length: int) -> int:
    """Compute the bytes that are stored for a text, from the sizes of the model."""
    kept = min(length, WINDOW_SIZES[size]) if kind == WINDOW else length
    return BYTES_PER_NUMBER[size] * model_cost.count_cache_numbers(_sized_config(size, kind), kept)


@memoize(MAX_FIGURES)
def _counted_bytes(kind: str, length: int) -> int:
    """Count the bytes of keys and values in a real cache of this room's model after a text of this length."""
    model = registry.build(_sized_config(OURS, kind), 0).eval()  # its weights don't matter
    ids = torch.randint(N_LETTER, (length,), generator=torch.Generator().manual_seed(0))
    if kind == WINDOW:
        cache = RollingCache(model, WINDOW_SIZES[OURS], N_SINK)
        cache.read(ids)
        return cache.n_byte
    kept = KeyValues(model)
    kept.choose([0], [0], 0)
    with torch.inference_mode():
        kept.read([ids.tolist()], [0])
    # It has room for more than was read; only the filled part counts.
    filled = kept.keys[..., :length], kept.values[:, :, :, :length]
    return sum(one.numel() * one.element_size() for one in filled)


def compute(inputs: Inputs) -> CacheSizes:
    """Compute the bytes from the sizes; for this room's model, also count them."""
    size, lengths = inputs.size, LENGTHS[inputs.size]
    computed = {kind: tuple(_computed_bytes(size, kind, n) for n in lengths) for kind in N_KV_HEADS[size]}
    measured = (
        {kind: tuple(_counted_bytes(kind, n) for n in lengths) for kind in N_KV_HEADS[size]} if size == OURS else {}
    )
    return CacheSizes(
        lengths=lengths,
        longest=lengths[-1],
        window=WINDOW_SIZES[size],
        computed=computed,
        measured=measured,
        end={kind: values[-1] for kind, values in computed.items()},
        agrees=all(values == computed[kind] for kind, values in measured.items()),
    )


def draw(result: CacheSizes, inputs: Inputs) -> None:
    """Draw the bytes of one text by its length."""
    ui.curves(
        {KIND_NAMES[kind]: (result.lengths, values) for kind, values in result.computed.items()},
        x=LABELS["length_axis"],
        y=ui.Axis(LABELS["bytes_axis"], unit="bytes"),
        at=result.window,
    )
