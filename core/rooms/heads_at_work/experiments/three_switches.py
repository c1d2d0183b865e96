"""Three switches on one sentence: one encoder learns what "it" refers to; three others learn it with one change each.

One has a causal mask, one has no positions, one has a single layer; their accuracy shows what each change costs.
"""

from collections.abc import Mapping

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.models.gpt import GPTConfig
from core.train.experiments import referent
from core.train.experiments.referent import ReferentExperiment

LABELS = module_labels(__name__)

VARIANT_CONFIGS: Mapping[str, GPTConfig] = {
    "full": referent.config(),
    "causal": referent.config(causal=True),
    "no_positions": referent.config(positions="none"),
    "one_layer": referent.config(n_layer=1),
}
VARIANT_NAMES: Mapping[str, str] = {
    "full": LABELS["variant.full"],
    "causal": LABELS["variant.causal"],
    "no_positions": LABELS["variant.no_positions"],
    "one_layer": LABELS["variant.one_layer"],
}


class Options(Inputs):
    """The number of training steps of each variant."""

    n_step: int = hidden_training_steps(200, most=600)  # about twenty seconds on one core


class ThreeSwitches(ReferentExperiment):
    """All four variants, trained on the same batches."""

    title = LABELS["title"]
    # Each held-out sentence has a twin with the other answer that these two models can't distinguish from it.
    learned = ("curve.full.accuracy > 0.99", "curve.causal.accuracy <= 0.5", "curve.no_positions.accuracy <= 0.5")

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, GPTConfig]:
        return VARIANT_CONFIGS
