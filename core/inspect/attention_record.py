"""A record of a model's attention in a forward pass, as plain arrays for attention maps."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.checks import describe_value
from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.generate.cache import reading_limit
from core.inspect.single_text_models import prediction_kind
from core.models.gpt import GPTConfig
from core.models.registry import find_registered_family, modern_options_of_model
from core.nn import checks
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.nn.masks import sliding_window
from core.nn.tap import Trace

LABELS = module_labels(__name__)

FloatArray = NDArray[np.floating]

_Ids = Sequence[int] | Int[Tensor, "*batch T"] | Int[np.ndarray, "*batch T"]


@dataclass(frozen=True)
class AttentionRecord:
    """The attention of a model on a text. Row t of a matrix belongs to query t.

    logits: scores of the next token at every position, or in a model that fills gaps, of the token at this position;
    (T, 0) for a model that doesn't predict tokens, see `core.inspect.single_text_models.prediction_kind`.
    """

    ids: Int[NDArray[np.int64], " T"]
    scores: Float[FloatArray, "L H T S"]  # before mask and softmax: q k^T scale, bounded if there is a softcap, + bias
    weights: Float[FloatArray, "L H T S"]  # rows sum to 1, or to less than 1 with sinks
    q: FloatArray  # (L, H, T, K), like k and v; rotated if positions are rotary
    k: FloatArray
    v: FloatArray
    scale: float  # factor of the dot products: 1 / sqrt(K) in nearly all models, but 1 in a T5
    bias: Float[FloatArray, "H T S"] | None  # bias that the position scheme added to the scores (ALiBi, relative)
    masks: Bool[NDArray[np.bool_], "L T S"]  # True where query t of this layer may attend to key s
    logits: Float[FloatArray, "T V"]
    probabilities: Float[FloatArray, "T V"]
    softcap: float | None = None  # upper bound of a score's size, before a bias is added; None: no bound
    sinks: Float[FloatArray, "L H"] | None = None  # score of each head's sink; None: no sinks

    @property
    def mask(self) -> Bool[NDArray[np.bool_], "T S"]:
        """True where query t may attend to key s in at least one layer; see `mask_of` for a single layer."""
        return np.asarray(self.masks.any(0))

    def mask_of(self, layer: int) -> Bool[NDArray[np.bool_], "T S"]:
        """Return a mask that is True where query t may attend to key s in this layer."""
        return np.asarray(self.masks[layer])

    @property
    def layers_differ(self) -> bool:
        """True if some layers see fewer tokens than others, because they have a window and the text is longer."""
        return bool((self.masks != self.masks[:1]).any())

    @property
    def reach(self) -> Bool[NDArray[np.bool_], "T S"]:
        """True where token s can influence token t through all layers; with windows, its information moves in steps."""
        identity = np.eye(self.masks.shape[-1], dtype=bool)
        reached = identity
        for mask in self.masks:
            reached = (mask | identity) @ reached
        return reached

    @property
    def n_layer(self) -> int:
        return self.weights.shape[0]

    @property
    def n_head(self) -> int:
        return self.weights.shape[1]

    @property
    def is_scaled(self) -> bool:
        """True if the dot products are divided by the root of the head's width, as in nearly all models."""
        return abs(self.scale - self.q.shape[-1] ** -0.5) < 1e-6

    def head_table(self, tokens: Sequence[str], layer: int, head: int) -> Table:
        """Return a table of a head, with a row for each cell that is not masked."""
        queries, keys = np.nonzero(self.mask_of(layer))
        names = np.array(tokens, dtype=object)
        return {
            LABELS["column.query"]: queries,
            LABELS["column.query_token"]: names[queries],
            LABELS["column.key"]: keys,
            LABELS["column.key_token"]: names[keys],
            LABELS["column.score"]: self.scores[layer, head, queries, keys],
            LABELS["column.weight"]: self.weights[layer, head, queries, keys],
        }

    def strong_table(self, tokens: Sequence[str], least: float) -> Table:
        """Return a table of all heads, with a row for each weight of at least `least`."""
        layer, head, query, key = np.nonzero(self.weights >= least)
        names = np.array(tokens, dtype=object)
        return {
            LABELS["column.layer"]: layer,
            LABELS["column.head"]: head,
            LABELS["column.query"]: query,
            LABELS["column.query_token"]: names[query],
            LABELS["column.key"]: key,
            LABELS["column.key_token"]: names[key],
            LABELS["column.weight"]: self.weights[layer, head, query, key],
        }

    def next_table(self, vocabulary: Sequence[str]) -> Table:
        """Return a table of the prediction after the whole text, with a row for each token of the vocabulary."""
        return {
            LABELS["column.token"]: list(vocabulary),
            LABELS["column.logit"]: self.logits[-1],
            LABELS["column.probability"]: self.probabilities[-1],
        }


def attention(model: nn.Module, ids: _Ids) -> AttentionRecord:
    """Run a text through a model with `blocks` and `mask`, such as a GPT or a BERT, and record its attention.

    For an encoder-decoder see `core.inspect.single_text_models.encoder_or_model`.

    If float32 overflows, as in a model whose training diverged, the pass is repeated in float64.

    Raises ValueError if there are no tokens, too many, or some that the model does not know, or if float64 overflows.
    """
    if not isinstance(model, nn.Module) or not hasattr(model, "blocks") or not hasattr(model, "mask"):
        raise TypeError(
            f"model must be one with blocks of attention, such as a GPT or a BERT, not {describe_value(model)}"
        )
    batch = as_batch(model, ids)
    with torch.no_grad(), Trace(model) as trace:
        output = model(batch)
    score_bias = getattr(model, "score_bias", None)
    with torch.no_grad():
        bias = None if score_bias is None else score_bias(batch.shape[1], output)
    if has_overflowed(output):
        if output.dtype == torch.float64:
            raise ValueError("the model's activations overflow: its attention is no longer a number")
        return attention(copy.deepcopy(model).double(), ids)
    logits = output[0] if prediction_kind(model) != "nothing" else output.new_zeros(batch.shape[1], 0)
    return AttentionRecord(
        ids=batch[0].cpu().numpy(),
        scores=stack_layers(trace, "attn.scores"),
        weights=stack_layers(trace, "attn.weights"),
        q=stack_layers(trace, "attn.q"),
        k=stack_layers(trace, "attn.k"),
        v=stack_layers(trace, "attn.v"),
        scale=score_scale_of(model),
        bias=None if bias is None else to_numpy(bias),
        masks=masks_of(model, batch.shape[1]),
        logits=to_numpy(logits),
        probabilities=to_numpy(logits.float().softmax(-1)),
        softcap=softcap_of(model),
        sinks=learned_sink_scores(model),
    )


def has_overflowed(output: Tensor) -> bool:
    """Return whether a model's output holds infinity or NaN. A logit of -inf is allowed: an impossible token."""
    return bool((output.isnan() | (output == torch.inf)).any())


def as_batch(model: nn.Module, ids: _Ids) -> Int[Tensor, "1 T"]:
    """Check the tokens and return them as (1, T) on the model's device.

    Raises:
        ValueError: if there are no tokens, too many for the model's positions, or some that it does not know.
        TypeError: if the tokens are not integers.
    """
    row = checks.as_ids("ids", ids, "(T,)").long()
    row = row[0] if row.ndim == 2 and row.shape[0] == 1 else row
    if row.ndim != 1:
        raise ValueError(f"one text is (T,), got ids of shape {tuple(row.shape)}")
    if not len(row):
        raise ValueError("the text has no tokens")
    family, config = find_registered_family(model), cast(Any, getattr(model, "config", None))
    vocab_size = getattr(config, "vocab_size", None) if family is None else family.vocab_size(config)
    if vocab_size is not None and not bool(((row >= 0) & (row < vocab_size)).all()):
        raise ValueError(
            f"the model knows the tokens 0..{vocab_size - 1}, the text has {int(row.min())}..{int(row.max())}"
        )
    limit = reading_limit(model)
    if limit is not None and config.positions == "learned" and len(row) > limit:
        raise ValueError(f"the text has {len(row)} tokens, the model has positions for {limit}")
    device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    return row[None].to(device)


def score_scale_of(model: nn.Module) -> float:
    """Return the factor of a model's dot products, which is the same in all heads."""
    attn = _attentions(model)[0]
    return attn.d_head**-0.5 if attn.scale is None else float(attn.scale)


def softcap_of(model: nn.Module) -> float | None:
    """Return the upper bound of a model's scores, which is the same in all heads; None: no bound."""
    softcap = _attentions(model)[0].softcap
    return None if softcap is None else float(softcap)


def learned_sink_scores(model: nn.Module) -> Float[FloatArray, "L H"] | None:
    """Return the score of each head's sink (`core.nn.attention.masked_softmax`); None for a model without sinks."""
    scores = [to_numpy(sink[:, 0, 0]) for attn in _attentions(model) if (sink := attn.sink_scores()) is not None]
    return np.stack(scores) if scores else None


def _attentions(model: nn.Module) -> list[MultiHeadAttention]:
    """Return the self-attention of each block."""
    blocks = cast(Sequence[Block], model.blocks)
    return [block.attn for block in blocks]


def masks_of(model: nn.Module, n_token: int) -> Bool[NDArray[np.bool_], "L T S"]:
    """Return the mask of each layer of this model: True where query t may attend to key s."""
    mask: Tensor = model.mask(n_token)  # type: ignore[operator]
    return np.asarray(mask.cpu().numpy() & window_masks(model, n_token))


def window_masks(model: nn.Module, n_token: int) -> Bool[NDArray[np.bool_], "L T S"]:
    """Return the two-sided window of each layer, regardless of other masks: all True in a layer without a window."""
    config, window = cast(GPTConfig, model.config), modern_options_of_model(model).window
    blocks = cast(Sequence[Block], model.blocks)
    windows = np.ones((len(blocks), n_token, n_token), dtype=np.bool_)
    if window is not None:
        near = sliding_window(n_token, window, causal=False).numpy()
        windows[[config.has_window(layer) for layer in range(len(windows))]] = near
    return windows


def stack_layers(trace: Trace, name: str) -> Float[FloatArray, "L ..."]:
    """Stack a tap of all blocks, (1, …) each, to an array (L, …)."""
    n_layer = sum(key.startswith("blocks.") and key.endswith(f".{name}") for key in trace)
    return np.stack([to_numpy(trace[f"blocks.{layer}.{name}"][0]) for layer in range(n_layer)])


def to_numpy(x: Tensor) -> FloatArray:
    """Convert to a float32 array on the CPU; float64 is kept, for comparisons."""
    return x.detach().to("cpu", torch.float64 if x.dtype == torch.float64 else torch.float32).numpy()


_ROUNDING = 1e-5  # relative to the largest number; float32 rounding over several layers is smaller


def max_change_per_position(
    model: nn.Module, after: Float[Tensor, "T N"], before: Float[Tensor, "T N"]
) -> Float[Tensor, " T"]:
    """Return the largest change of a number at each position; 0 where nothing changes.

    In most models the order of additions doesn't depend on other tokens, so not a single bit changes. An expert
    processes all tokens that are sent to it at once, and their number affects the rounding, so in a model with experts
    changes of this size count as 0.
    """
    change = (after - before).abs().amax(-1)
    if has_token_independent_rounding(model):
        return change
    return change.masked_fill(change <= _ROUNDING * before.abs().max(), 0.0)


def has_token_independent_rounding(model: nn.Module) -> bool:
    """Return whether unaffected numbers stay the same to the last bit, which isn't so in a model with experts."""
    return modern_options_of_model(model).experts is None


class WeightArrays(Mapping[str, Float[NDArray[Any], "..."]]):
    """A model's weights as arrays by name, each converted on demand, so a large model is never copied as a whole."""

    def __init__(self, model: nn.Module) -> None:
        self._parameters = dict(model.named_parameters())

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        return to_numpy(self._parameters[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)
