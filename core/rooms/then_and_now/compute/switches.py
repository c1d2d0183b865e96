"""The nine switches between a block of 2017 and one of today, and the model of any setting."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.data.localization.labels import module_labels
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle

LABELS = module_labels(__name__)

# The sizes of all trained models.
D_MODEL, N_LAYER, N_HEAD, CONTEXT = 64, 3, 4, 64
THEN, TODAY = "2017", "today"
STARTS: Mapping[str, str] = {THEN: LABELS["start.2017"], TODAY: LABELS["start.today"]}
SwitchSetting = Mapping[str, str]  # switch -> one of its states


@dataclass(frozen=True, kw_only=True)
class SwitchState:
    """One way to build the part that a switch controls."""

    title: str  # short, shown with the title of its switch
    paper: str  # its source
    # gpt, modern, block: fields of `GPTConfig`, `Modern` and `BlockStyle` that it sets
    gpt: Mapping[str, Any] = field(default_factory=dict)
    modern: Mapping[str, Any] = field(default_factory=dict)
    block: Mapping[str, Any] = field(default_factory=dict)
    d_ff: float | None = None  # width of the feed-forward, as a multiple of d_model
    alone: str = ""  # its name without the switch's title; "" uses its title

    @property
    def name(self) -> str:
        """Its name where its switch is not visible."""
        return self.alone or self.title


@dataclass(frozen=True)
class Switch:
    """A part of the block that has changed since 2017."""

    title: str  # name of the part
    states: Mapping[str, SwitchState]  # by year; the first is that of 2017
    today: str  # the state in today's block

    @property
    def then(self) -> str:
        """The state in the block of 2017."""
        return next(iter(self.states))


VASWANI = "Vaswani et al. 2017"
# A gated feed-forward has three matrices: at 8/3 of d_model they have as many parameters as two at 4 (Shazeer 2020).
PLAIN_FF, GATED_FF = 4.0, 8 / 3
SWITCHES: Mapping[str, Switch] = {
    "place": Switch(
        LABELS["part.place"],
        {
            "post-norm": SwitchState(title=LABELS["state.post-norm"], paper=VASWANI, block={"norm_first": False}),
            "pre-norm": SwitchState(
                title=LABELS["state.pre-norm"], paper="Xiong et al. 2020", block={"norm_first": True}
            ),
        },
        "pre-norm",
    ),
    "norm": Switch(
        LABELS["part.norm"],
        {
            "layernorm": SwitchState(title=LABELS["state.layernorm"], paper="Ba et al. 2016", block={"norm": "layer"}),
            "rmsnorm": SwitchState(
                title=LABELS["state.rmsnorm"], paper="Zhang and Sennrich 2019", block={"norm": "rms"}
            ),
        },
        "rmsnorm",
    ),
    "feed-forward": Switch(
        LABELS["part.feed-forward"],
        {
            "relu": SwitchState(title=LABELS["state.relu"], paper=VASWANI, block={"activation": "relu"}, d_ff=PLAIN_FF),
            "gelu": SwitchState(
                title=LABELS["state.gelu"],
                paper="Hendrycks and Gimpel 2016",
                block={"activation": "gelu_tanh"},
                d_ff=PLAIN_FF,
            ),
            "swiglu": SwitchState(
                title=LABELS["state.swiglu"], paper="Shazeer 2020", block={"activation": "swiglu"}, d_ff=GATED_FF
            ),
        },
        "swiglu",
    ),
    "positions": Switch(
        LABELS["part.positions"],
        {
            "sinusoidal": SwitchState(
                title=LABELS["state.sinusoidal"],
                alone=LABELS["alone.sinusoidal"],
                paper=VASWANI,
                gpt={"positions": "sinusoidal"},
            ),
            "learned": SwitchState(
                title=LABELS["state.learned"],
                alone=LABELS["alone.learned"],
                paper="Radford et al. 2018",
                gpt={"positions": "learned"},
            ),
            "rope": SwitchState(title=LABELS["state.rope"], paper="Su et al. 2021", gpt={"positions": "rotary"}),
        },
        "rope",
    ),
    "biases": Switch(
        LABELS["part.biases"],
        {
            "biases": SwitchState(title=LABELS["state.biases"], paper=VASWANI, block={"bias": True}),
            "no-biases": SwitchState(
                title=LABELS["state.no-biases"], paper="Touvron et al. 2023", block={"bias": False}
            ),
        },
        "no-biases",
    ),
    "heads": Switch(
        LABELS["part.heads"],
        {
            "multi-head": SwitchState(title=LABELS["state.multi-head"], paper=VASWANI, modern={"n_kv_head": N_HEAD}),
            "multi-query": SwitchState(
                title=LABELS["state.multi-query"], paper="Shazeer 2019", modern={"n_kv_head": 1}
            ),
            "grouped-query": SwitchState(
                title=LABELS["state.grouped-query"], paper="Ainslie et al. 2023", modern={"n_kv_head": N_HEAD // 2}
            ),
        },
        "grouped-query",
    ),
    "output": Switch(
        LABELS["part.output"],
        {
            "tied": SwitchState(
                title=LABELS["state.tied"], alone=LABELS["alone.tied"], paper="Press and Wolf 2016", gpt={"tied": True}
            ),
            "untied": SwitchState(
                title=LABELS["state.untied"],
                alone=LABELS["alone.untied"],
                paper="Touvron et al. 2023",
                gpt={"tied": False},
            ),
        },
        "untied",
    ),
    "queries": Switch(
        LABELS["part.queries"],
        {
            "as-they-are": SwitchState(
                title=LABELS["state.as-they-are"],
                alone=LABELS["alone.as-they-are"],
                paper=VASWANI,
                block={"qk_norm": False},
            ),
            "qk-norm": SwitchState(title=LABELS["state.qk-norm"], paper="Henry et al. 2020", block={"qk_norm": "gain"}),
        },
        "qk-norm",
    ),
    # This doesn't change the model, only its training: see `core.rooms.then_and_now.compute.training`.
    "training": Switch(
        LABELS["part.training"],
        {
            "adam": SwitchState(title=LABELS["state.adam"], alone=LABELS["alone.adam"], paper=VASWANI),
            "adamw": SwitchState(
                title=LABELS["state.adamw"], alone=LABELS["alone.adamw"], paper="Loshchilov and Hutter 2016, 2017"
            ),
            "muon": SwitchState(title=LABELS["state.muon"], alone=LABELS["alone.muon"], paper="Jordan et al. 2024"),
        },
        "adamw",
    ),
}
SWITCH_STATES: Mapping[str, tuple[str, SwitchState]] = {
    name: (switch, state) for switch, one in SWITCHES.items() for name, state in one.states.items()
}


def make_setting(start: str, *flipped: str) -> SwitchSetting:
    """Return a setting with all switches as in 2017 (`THEN`) or today (`TODAY`), except for the named states.

    Raises KeyError if no state has that name.
    """
    stands = {name: one.then if start == THEN else one.today for name, one in SWITCHES.items()}
    return stands | {SWITCH_STATES[state][0]: state for state in flipped}


def flipped_states(start: str, given: SwitchSetting) -> tuple[str, ...]:
    """Return the states of a setting that differ from a start."""
    at = make_setting(start)
    return tuple(state for switch, state in given.items() if at[switch] != state)


def other_states(start: str) -> tuple[str, ...]:
    """Return the states that differ from a start: the possible changes by one switch alone."""
    at = make_setting(start)
    return tuple(state for state, (switch, _) in SWITCH_STATES.items() if at[switch] != state)


def config(given: SwitchSetting, vocab_size: int) -> GPTConfig:
    """Return the model config of a setting.

    Embeddings are multiplied by the root of d_model, as in 2017, in every setting.
    """
    states = [SWITCHES[switch].states[state] for switch, state in given.items()]
    gpt = {name: value for state in states for name, value in state.gpt.items()}
    modern = {name: value for state in states for name, value in state.modern.items()}
    block = {name: value for state in states for name, value in state.block.items()}
    (d_ff,) = [state.d_ff for state in states if state.d_ff is not None]
    return GPTConfig(
        vocab_size=vocab_size,
        context_length=CONTEXT,
        n_layer=N_LAYER,
        n_head=N_HEAD,
        d_model=D_MODEL,
        d_ff=int(d_ff * D_MODEL) // 2 * 2,
        modern=Modern(embed_scale=math.sqrt(D_MODEL), **modern),
        block=BlockStyle(**block),
        **gpt,
    )
