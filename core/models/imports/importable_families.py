"""The families of models that can be imported, by `model_type`; and the plan for one folder."""

from dataclasses import replace
from typing import NamedTuple

from core.data.localization.labels import module_labels
from core.models.imports import t5, vit
from core.models.imports.decoders import experts, gemma, gpt2, gpt_neox, image_gpt, llama, olmo2, phi, smollm3
from core.models.imports.encoders import albert, bert, distilbert, electra, modernbert, roberta
from core.models.imports.encoders.bert import count_labels, untie_output_layer
from core.models.imports.published import check_not_quantized, has_architecture_suffix, unsupported_model_type_advice
from core.models.imports.tensor_plan import Config, ImportFamily, ImportPlan, Shapes, TensorMapping
from core.models.imports.weights_file import ImportRefused, StoredTensor, shorten_name

LABELS = module_labels(__name__)

FAMILIES: dict[str, ImportFamily] = {
    "gpt2": gpt2.FAMILY,
    "bert": bert.FAMILY,
    "distilbert": distilbert.FAMILY,
    "roberta": roberta.FAMILY,
    "xlm-roberta": roberta.XLM_ROBERTA,
    "camembert": roberta.CAMEMBERT,
    "electra": electra.FAMILY,
    "albert": albert.FAMILY,
    "modernbert": modernbert.FAMILY,
    "t5": t5.FAMILY,
    "vit": vit.FAMILY,
    "imagegpt": image_gpt.FAMILY,
    "llama": llama.LLAMA,
    "mistral": llama.MISTRAL,
    "qwen2": llama.QWEN2,
    "qwen3": llama.QWEN3,
    "gemma": gemma.GEMMA,
    "gemma2": gemma.GEMMA2,
    "gemma3_text": gemma.GEMMA3,
    "gemma3": gemma.GEMMA3_THAT_SEES,
    "phi": phi.PHI_FAMILY,
    "phi3": phi.PHI3_FAMILY,
    "gpt_neox": gpt_neox.FAMILY,
    "olmo2": olmo2.FAMILY,
    "olmo3": olmo2.OLMO3,
    "smollm3": smollm3.FAMILY,
    "mixtral": experts.MIXTRAL,
    "qwen2_moe": experts.QWEN2_MOE,
    "qwen3_moe": experts.QWEN3_MOE,
}


class ModelFamilyDifferences(NamedTuple):
    """The differences of a family of models from its nearest relative, as assets/labels/models.md lists them."""

    name: str  # "Mistral"
    relative: str  # "Llama"
    bullets: tuple[str, ...]  # one sentence or two for each difference


_TOLD_WITH = {"camembert": "xlm-roberta"}  # families that share their names and differences with another one


def differences_from_nearest_family(model_type: str) -> ModelFamilyDifferences | None:
    """Return how a family differs from its nearest relative; None if it isn't one of `FAMILIES`."""
    if model_type not in FAMILIES:
        return None
    key = _TOLD_WITH.get(model_type, model_type)
    bullets = LABELS.options(f"{key}.difference").values()
    return ModelFamilyDifferences(LABELS[f"{key}.name"], LABELS[f"{key}.relative"], tuple(bullets))


def foreign_family(theirs: Config) -> ImportFamily | None:
    """Return the family that a config.json names, or None if the file is ours.

    Raises ImportRefused if it is not read here, or the weights are quantized.
    """
    if "kind" in theirs:
        return None
    check_not_quantized(theirs)
    kind = theirs.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ImportRefused(unsupported_model_type_advice(theirs))
    return FAMILIES[kind]


def plan_import(family: ImportFamily, theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import of a folder, with or without a head for labels, its output layer tied or not."""
    return _with_labels(untie_output_layer(family.plan(theirs, shapes), theirs, shapes), theirs, shapes)


def plan_and_tensors(
    family: ImportFamily | None, theirs: Config, stored: dict[str, StoredTensor]
) -> tuple[ImportPlan, dict[str, StoredTensor]]:
    """Plan the import of a folder, and return the tensors that it reads, by the names of the plan.

    Args:
        family: from `foreign_family`; a config of ours is a plan already, and its tensors have our names.
        theirs: config.json.
        stored: the tensors in the files.

    Raises:
        ImportRefused: if the model computes something that ours does not, or a tensor is there twice.
    """
    if family is None:
        return ImportPlan(dict(theirs), ()), stored
    by_name: dict[str, StoredTensor] = {}
    for name, one in stored.items():
        plain = family.plain(name)
        if plain in by_name:
            raise ImportRefused(LABELS("both", first=shorten_name(by_name[plain].name), second=shorten_name(name)))
        if plain is not None:
            by_name[plain] = one
    plan = plan_import(family, theirs, {name: one.shape for name, one in by_name.items()})
    return plan, {name: one for name, one in by_name.items() if name not in plan.unused}


SCORE = "score.weight"
OUTPUT = ("unembed.weight", "unembed.bias", "unembed.{p}")


def _is_classifier(theirs: Config) -> bool:
    """Return whether the folder's decoder is a classifier."""
    return has_architecture_suffix(theirs, "ForSequenceClassification")


def _with_labels(plan: ImportPlan, theirs: Config, shapes: Shapes) -> ImportPlan:
    """Give the plan labels, if the model is a classifier.

    plan: of the family, as if it wrote. Raises ImportRefused if the config names another number of labels.
    """
    if plan.fields["kind"] != "gpt" or not _is_classifier(theirs):
        return plan
    fields = plan.fields | {
        "n_label": count_labels(theirs, shapes, SCORE),
        "tied": False,
        "output_bias": False,
        "logit_softcap": None,
    }
    rows = tuple(row for row in plan.rows if row.ours not in OUTPUT)
    return replace(plan, fields=fields, rows=(*rows, TensorMapping(SCORE, "unembed.weight")))
