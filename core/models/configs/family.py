"""Facts about each architecture, so that no caller asks for its class: each module of a model defines its `FAMILY`.

family_of(model).predicts(model.config)      # "next"
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from torch import nn

from core.data.localization.labels import module_labels
from core.models.configs.config_and_input_checks import ModelConfig
from core.models.configs.modern import Modern
from core.nn.feed_forward import GATED_ACTIVATIONS

LABELS = module_labels(__name__)

# What the numbers of a model's output say at each position of a text: which token follows, which one is there, or
# nothing about tokens.
Predicts = Literal["next", "here", "nothing"]


@dataclass(frozen=True)
class BlockStackSizes:
    """Blocks one above the other, in numbers."""

    n_layer: int
    d_model: int
    d_inner: int  # numbers of all heads together
    d_kv: int  # numbers of all heads of keys together, and so of values
    d_ff: int  # width of the feed-forward that a token passes, of all its experts together; 0: there is none
    n_matrix: int  # of a feed-forward layer
    n_head: int
    cross: bool = False  # whether the blocks read a source, too
    n_expert: int = 0  # among which a router chooses; 0: there is no router
    n_active: int = 0  # experts that work on one token, a shared one among them
    n_gate: int = 0  # numbers that choose and weigh the experts, for each token
    d_gate: int = 0  # numbers that gate what an attention has read, for each token


def block_dimensions(
    config: ModelConfig, n_layer: int | None = None, *, modern: Modern | None = None, cross: bool = False
) -> BlockStackSizes:
    """Return the sizes of the blocks that a config describes.

    Args:
        n_layer: number of blocks; None means config.n_layer.
        modern: options of the blocks that GPT-2's don't have; None means none of them.
        cross: whether the blocks also read a source.
    """
    style, modern = config.block, modern or Modern()
    d_head = modern.d_head or config.d_model // config.n_head
    n_kv_head = modern.n_kv_head or config.n_head
    d_ff = (config.d_ff or 4 * config.d_model) if style.feed_forward else 0
    n_matrix = 3 if style.activation in GATED_ACTIVATIONS else 2
    experts = modern.experts
    chosen: dict[str, int] = {}
    if experts is not None:
        shared = experts.d_shared or 0
        chosen = {"n_expert": experts.n_expert, "n_active": experts.n_active + bool(shared),
                  "n_gate": experts.n_expert + bool(shared)}  # fmt: skip
        d_ff = experts.n_active * d_ff + shared
    gates = {False: 0, True: d_head, "head": 1}[style.gate]
    return BlockStackSizes(
        n_layer or config.n_layer, config.d_model, config.n_head * d_head, n_kv_head * d_head, d_ff, n_matrix,
        config.n_head, cross, **chosen, d_gate=config.n_head * gates,
    )  # fmt: skip


def _no_numbers(config: object, n_token: int) -> Mapping[str, int]:
    """Return no costs outside the blocks."""
    return {}


@dataclass(frozen=True, kw_only=True)
class ModelFamily:
    """One architecture."""

    kind: str  # its key, and that of its names in assets/labels/models.md
    config: type  # config, model: its classes
    model: type[nn.Module]
    # config -> today's options: a config's own ones, or as far as this architecture has them
    modern: Callable[[Any], Modern] = lambda config: Modern()
    predicts: Callable[[Any], Predicts] = lambda config: "nothing"  # config -> what its output says at each position
    # config -> how many labels it chooses from; None: it was taught none
    n_label: Callable[[Any], int | None] = lambda config: None
    head: Callable[[Any], str] = lambda config: (
        ""
    )  # config -> the head on top of an encoder, one of `output_heads.OUTPUT_HEADS`
    has_attention: bool = True  # whether its layers have heads of attention, and not the cells of a recurrent net
    # config -> tokens that it reads at once; None: texts of any length
    context_length: Callable[[Any], int | None] = lambda config: None
    reads_any_length: bool = False  # whether that is only the length of the texts that it was trained on
    # config -> tokens that it knows; None: it reads pictures
    vocab_size: Callable[[Any], int | None] = lambda config: int(config.vocab_size)
    n_layer: Callable[[Any], int] = lambda config: int(config.n_layer)  # config -> layers of all its stacks together
    shares_layers: Callable[[Any], bool] = lambda config: False  # config -> whether all layers have the same weights
    answers: Literal["on", "gaps", "pair"] = (
        "on"  # how it is asked the questions of a task, see `core.train.tasks.answer_objective`
    )
    writes: bool = False  # whether it continues a text, token by token
    recurrent: Callable[[Any], int] | None = None  # config -> numbers of one cell's gates; None: it has no cells
    reads_by_its_encoder: bool = False  # whether one text alone is read by a part of it, `model.encoder`
    starts_with: str = "start_id"  # what its tokenizer calls the token that begins what it writes
    # encoder_stack, decoder_stack: config -> its blocks; a single stack that can write is a decoder
    encoder_stack: Callable[[Any], BlockStackSizes] | None = None
    decoder_stack: Callable[[Any], BlockStackSizes] | None = None
    # config -> tokens of each input, where the config says how many; else None
    n_token: Callable[[Any], int | None] = lambda config: None
    # (config, tokens that go through) -> multiply-adds before and after the blocks, part by part
    outside: Callable[[Any, int], Mapping[str, int]] = _no_numbers
    # (config, tokens) -> numbers before and after the blocks that a `Trace` records
    n_output: Callable[[Any, int], int] = lambda config, n_token: n_token * int(config.vocab_size)
    # how far embeddings of tokens and of positions begin from 0, in front of the optimizer MuonAdamW; None: by whether
    # they are tied
    start: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """Its name in a list of kinds, such as "Decoder (GPT)"."""
        return LABELS[f"{self.kind}.label"]

    @property
    def title(self) -> str:
        """One of its models in words: "a decoder, a transformer that writes (GPT)"."""
        return LABELS[f"{self.kind}.title"]

    @property
    def plural(self) -> str:
        """Several of its models in words: "decoders (GPT)"."""
        return LABELS[f"{self.kind}.plural"]

    @property
    def role(self) -> str:
        """Its label without the published name: "decoder"."""
        return LABELS[f"{self.kind}.role"]
