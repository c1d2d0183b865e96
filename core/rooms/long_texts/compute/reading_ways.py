"""Six ways to read a text that is longer than those a model with rotary positions was trained on.

Four change the frequencies of its rotary positions, two the mask. None of them changes a weight.
"""

import dataclasses
import math
from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from core.data.localization.labels import module_labels
from core.models.gpt import GPT
from core.nn.masks import causal, sliding_window
from core.nn.positions import RotarySettings, rotate
from core.nn.tap import Edit, Trace

LABELS = module_labels(__name__)

FREQUENCY_WAYS = ("plain", "interpolation", "ntk", "yarn")  # they differ in the frequency of each pair
WAY_NAMES: Mapping[str, str] = LABELS.options("way", *FREQUENCY_WAYS, "window", "sinks")
N_SINK = 4  # first tokens that are never evicted


def scaled_rotary(way: str, factor: float, trained: int, d_head: int, base: float = 10_000.0) -> RotarySettings:
    """Return the rotary frequencies for texts that are `factor` times as long as those of training.

    Args:
        way: "interpolation": all frequencies divided by the factor; "ntk": a larger base, so that the slowest pair is
            slowed by the factor and the fastest is unchanged; "yarn": pairs that turn 32 times or more within the
            trained length are unchanged, those that turn less than once are slowed by the factor, and scores grow a
            little; any other: as trained.
        trained: tokens of the training texts.

    Source: Su et al. 2021 (2104.09864); interpolation: Chen et al. 2023 (2306.15595); NTK-aware: a post by bloc97 on
    Reddit (r/LocalLLaMA, June 2023), no paper; YaRN: Peng et al. 2023 (2309.00071), section 3.
    """
    if way == "interpolation":
        return RotarySettings(base=base, factor=factor)
    if way == "ntk":
        return RotarySettings(base=base * factor ** (d_head / (d_head - 2)))
    if way == "yarn":
        gain = 0.1 * math.log(factor) + 1
        return RotarySettings(base=base, factor=factor, trained_length=trained, fast=32.0, by_pair=True, gain=gain)
    return RotarySettings(base=base)


class SinkGPT(GPT):
    """A GPT whose tokens read the newest ones and the first `N_SINK`, in total `config.modern.window`.

    The first tokens never appear further away than the window is long: the retained tokens are renumbered 0, 1, 2, …,
    as if those between had never been there.

    Source: Xiao et al. 2023 (2309.17453), section 3.2.
    """

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Return the mask, which allows the newest tokens and the first ones."""
        assert self.config.modern.window is not None
        newest = sliding_window(n_token, self.config.modern.window - N_SINK, device=device)
        return newest | (causal(n_token, device=device) & (torch.arange(n_token, device=device) < N_SINK))

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """As a GPT's, but for the scores of the first tokens."""
        assert self.config.modern.window is not None
        rotary = self.config.modern.rotary or RotarySettings()
        positions = torch.arange(ids.shape[1], device=ids.device)
        beyond = positions - positions.clamp(max=self.config.modern.window - 1)  # (T,) by how much a query turns back
        read: dict[str, Tensor] = {}

        def keep(name: str, x: Tensor) -> Tensor:
            read[name] = x
            return x

        def counted_anew(scores: Float[Tensor, "B H T S"]) -> Float[Tensor, "B H T S"]:
            q, k = rotate(read["q"], -beyond, rotary), read["k"][:, :, :N_SINK]
            return torch.cat([q @ k.mT / math.sqrt(q.shape[-1]), scores[..., N_SINK:]], -1)

        edits: dict[str, Edit] = {}
        for layer in range(self.config.n_layer):
            at = f"blocks.{layer}.attn."
            edits |= {at + "q": lambda q: keep("q", q), at + "k": lambda k: keep("k", k), at + "scores": counted_anew}
        with Trace(self, edits, keep=()):
            return super().forward(ids)


def long_text_reader(model: GPT, way: str, factor: float, trained: int) -> GPT:
    """Return a model with the same weights that reads in one of the ways; a window is as long as the training texts.

    The weights are shared with `model`, not copied.
    """
    config, modern = model.config, model.config.modern
    d_head = modern.d_head or config.d_model // config.n_head
    if way == "window":
        modern = dataclasses.replace(modern, window=trained)
    elif way == "sinks":
        modern = dataclasses.replace(modern, window=trained, windowed=())  # its mask already has the window
    elif way != "plain":
        modern = dataclasses.replace(modern, rotary=scaled_rotary(way, factor, trained, d_head))
    with torch.device("meta"):  # no weights are drawn, because all are taken from the model
        found = (SinkGPT if way == "sinks" else GPT)(dataclasses.replace(config, modern=modern))
    found.load_state_dict(model.state_dict(), assign=True)
    return found
