"""The savings by shared keys and values, computed from sizes: for this room's block and for a large model."""

from collections.abc import Mapping
from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control
from core.inspect.costs import model_cost
from core.inspect.costs.parameters import count_config_parameters
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.rooms.then_and_now.compute.switches import N_HEAD, SWITCHES, TODAY, config, make_setting

LABELS = module_labels(__name__)

TOY, LARGE = "toy", "llama-2-70b"
SIZES = {TOY: LABELS["size.toy"], LARGE: "Llama 2 70B"}
# Touvron et al. 2023 (2307.09288), table 1; the width of the feed-forward is from the published config.
LLAMA: Mapping[str, Any] = {
    "n_layer": 80,
    "n_head": 64,
    "d_model": 8_192,
    "context_length": 4_096,
    "d_ff": 28_672,
    "vocab_size": 32_000,
}
PUBLISHED_HEADS = 8  # its number of heads of keys and values
NUMBER_BYTES = {TOY: 4, LARGE: 2}  # per number: single precision here, half precision there
CONTEXT = {TOY: 64, LARGE: LLAMA["context_length"]}
CODE = (model_cost.count_cache_numbers, model_cost.next_token_cost, count_config_parameters)


class Inputs(Base, prefix="price_"):
    size: str = segmented_control(SIZES, LARGE)


def kv_heads(size: str) -> dict[str, int]:
    """Return the number of heads of keys and values: name of the state -> number."""
    n_head, grouped = (N_HEAD, N_HEAD // 2) if size == TOY else (LLAMA["n_head"], PUBLISHED_HEADS)
    return {"multi-head": n_head, "grouped-query": grouped, "multi-query": 1}


def _today_config(size: str, state: str) -> GPTConfig:
    """Return today's block with this state's heads of keys and values."""
    if size == TOY:
        return config(make_setting(TODAY, state), 104)
    return GPTConfig(
        modern=Modern(n_kv_head=kv_heads(size)[state]),
        positions="rotary",
        tied=False,
        block=config(make_setting(TODAY), 2).block,
        **LLAMA,
    )


class CachePrices(Result):
    """Bytes of the cache by length, parameters, and multiply-adds of one more token, for each kind of heads."""

    lengths: tuple[int, ...]
    longest: int
    heads: dict[str, int]
    names: dict[str, str]
    cache: dict[str, tuple[int, ...]]  # state -> bytes at each length
    full: dict[str, int]  # bytes at the longest text
    parameters: dict[str, int]
    work: dict[str, int]  # for the token after the longest text, with a cache

    def table(self) -> Table:
        return {
            LABELS["length_column"]: [*self.lengths],
            **{LABELS("bytes_column", heads=one): [*two] for one, two in self.cache.items()},
        }


def compute(inputs: Inputs) -> CachePrices:
    """Compute from the sizes alone: nothing is trained, and the large model's weights are never allocated."""
    size, longest = inputs.size, CONTEXT[inputs.size]
    lengths = tuple(round(longest * i / 16) for i in range(1, 17))
    configs = {state: _today_config(size, state) for state in kv_heads(size)}
    cache = {
        s: tuple(NUMBER_BYTES[size] * model_cost.count_cache_numbers(one, n) for n in lengths)
        for s, one in configs.items()
    }
    return CachePrices(
        lengths=lengths,
        longest=longest,
        heads=kv_heads(size),
        names={state: SWITCHES["heads"].states[state].title for state in configs},
        cache=cache,
        full={state: values[-1] for state, values in cache.items()},
        parameters={state: count_config_parameters(one).total for state, one in configs.items()},
        work={state: model_cost.next_token_cost(one, longest, cached=True).total for state, one in configs.items()},
    )


def draw(result: CachePrices, inputs: Inputs) -> None:
    """Draw the bytes of one text by its length."""
    ui.curves(
        {result.names[state]: (result.lengths, values) for state, values in result.cache.items()},
        x=LABELS["length_axis"],
        y=ui.Axis(LABELS["memory_axis"], unit="bytes"),
    )
