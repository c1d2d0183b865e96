"""Parameters of mixtures of experts: the total that is stored, and the active ones that work on one token."""

from typing import NamedTuple

from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.inspect.costs.parameters import count_config_parameters
from core.inspect.lecture_errata.attention_errata import EXPERTS, SWITCH_FF, SWITCH_LAYERS, SWITCH_MODEL
from core.models.configs.family import block_dimensions
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings

LABELS = module_labels(__name__)

_TODAY = BlockStyle(norm="rms", activation="swiglu", bias=False)
MIXTRAL = GPTConfig(
    vocab_size=32_000, context_length=32_768, n_layer=32, n_head=32, d_model=4_096, d_ff=14_336, positions="rotary",
    tied=False, block=_TODAY, modern=Modern(n_kv_head=8, experts=ExpertSettings(n_expert=8, n_active=2)),
)  # fmt: skip
QWEN3 = GPTConfig(
    vocab_size=151_936, context_length=40_960, n_layer=48, n_head=32, d_model=2_048, d_ff=768, positions="rotary",
    tied=False, modern=Modern(n_kv_head=4, d_head=128, experts=ExpertSettings(n_expert=128, n_active=8)),
    block=BlockStyle(norm="rms", activation="swiglu", bias=False, qk_norm="gain"),
)  # fmt: skip
GPT3 = GPTConfig(vocab_size=50_257, context_length=2_048, n_layer=96, n_head=96, d_model=12_288)
# Switch-C, an encoder-decoder with T5's parts: heads and head width from table 9, T5's vocabulary.
SWITCH_N_HEAD, SWITCH_D_HEAD, SWITCH_VOCAB = 32, 64, 32_128


class ModelSize(NamedTuple):
    """The size of one model."""

    title: str
    total: int  # total, active: all parameters, and those that work on one token
    active: int
    source: str  # where its config, or its two figures, were published
    is_counted: bool = True  # True: both were counted here from its config; False: both are quoted

    @property
    def share(self) -> float:
        return self.active / self.total


def count_idle_parameters(config: GPTConfig) -> int:
    """Count the parameters of the experts that a token is not sent to; 0 without experts."""
    if config.modern.experts is None:
        return 0
    each = block_dimensions(config).n_matrix * config.d_model * (config.d_ff or 4 * config.d_model)
    return config.n_layer * (config.modern.experts.n_expert - config.modern.experts.n_active) * each


def measure_gpt(title: str, config: GPTConfig, source: str) -> ModelSize:
    """Return the size of a GPT, counted on modules without memory; the embedding counts in full, as is usual."""
    total = count_config_parameters(config).total
    return ModelSize(title, total, total - count_idle_parameters(config), source)


def switch_c_size() -> ModelSize:
    """Count the parameters of Switch-C. A token counts in the encoder and in the decoder, so all layers work on it.

    Source: Fedus et al. 2021 (2101.03961), table 9; the other parts are T5's, without their norms.
    """
    expert = 2 * SWITCH_MODEL * SWITCH_FF
    attention = 4 * SWITCH_MODEL * SWITCH_N_HEAD * SWITCH_D_HEAD * (SWITCH_LAYERS + SWITCH_LAYERS // 2)
    routers = SWITCH_LAYERS * SWITCH_MODEL * EXPERTS
    rest = attention + routers + SWITCH_VOCAB * SWITCH_MODEL
    total = SWITCH_LAYERS * EXPERTS * expert + rest
    return ModelSize("Switch-C", total, SWITCH_LAYERS * expert + rest, LABELS["source.switch"])


@memoize(4)
def model_sizes(own: GPTConfig) -> tuple[ModelSize, ...]:
    """Return the sizes of all models, smallest first; `own` is the config of this room's model."""
    return (
        measure_gpt(LABELS["own_model"], own, LABELS["trained_above"]),
        measure_gpt("Qwen3-30B-A3B", QWEN3, LABELS["source.qwen3"]),
        measure_gpt("Mixtral 8x7B", MIXTRAL, LABELS["source.mixtral"]),
        measure_gpt("GPT-3 175B", GPT3, LABELS["source.gpt3"]),
        ModelSize("DeepSeek-V3", 671_000_000_000, 37_000_000_000, "DeepSeek-AI 2024 (2412.19437)", False),
        ModelSize("Kimi K2", 1_040_000_000_000, 32_600_000_000, "Kimi Team 2025 (2507.20534)", False),
        switch_c_size(),
    )
