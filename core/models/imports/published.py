"""The published models that are read here, by title and by config.json; and what is said of those that are not."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from core.data.localization.labels import module_labels
from core.models.configs.modern import flatten_settings
from core.models.imports.weights_file import ImportRefused, shorten_name

LABELS = module_labels(__name__)


class _PublishedFamily(NamedTuple):
    """One `model_type`."""

    title: str  # what people call it
    model_type: str  # what config.json calls it
    kind: str  # our architecture, one of `core.models.registry.CONFIGS`
    such_as: str  # some of its models


PUBLISHED = tuple(
    _PublishedFamily(*row)
    for row in (
        ("GPT-2", "gpt2", "gpt", LABELS["gpt2.such_as"]),
        ("GPT-NeoX, Pythia", "gpt_neox", "gpt", "pythia-70m, pythia-160m"),
        ("Llama, SmolLM", "llama", "gpt", LABELS["llama.such_as"]),
        ("Mistral", "mistral", "gpt", "Mistral-7B"),
        ("Qwen2, Qwen2.5", "qwen2", "gpt", "Qwen2.5-0.5B"),
        ("Qwen3", "qwen3", "gpt", "Qwen3-0.6B"),
        ("Gemma", "gemma", "gpt", "gemma-2b"),
        ("Gemma 2", "gemma2", "gpt", "gemma-2-2b"),
        ("Gemma 3", "gemma3_text", "gpt", "gemma-3-270m, gemma-3-1b"),
        (LABELS["gemma3.title"], "gemma3", "gpt", LABELS["gemma3.such_as"]),
        ("Phi", "phi", "gpt", "phi-1_5, phi-2"),
        ("Phi-3, Phi-4-mini", "phi3", "gpt", "Phi-3-mini-4k"),
        ("OLMo 2", "olmo2", "gpt", "OLMo-2-1B"),
        ("OLMo 3", "olmo3", "gpt", "Olmo-3-7B"),
        ("SmolLM3", "smollm3", "gpt", LABELS["smollm3.such_as"]),
        ("Mixtral", "mixtral", "gpt", LABELS["mixtral.such_as"]),
        ("Qwen1.5-MoE, Qwen2-MoE", "qwen2_moe", "gpt", "Qwen1.5-MoE-A2.7B"),
        ("Qwen3-MoE", "qwen3_moe", "gpt", "Qwen3-30B-A3B"),
        ("BERT", "bert", "bert", LABELS["bert.such_as"]),
        ("DistilBERT", "distilbert", "bert", "distilbert-base-uncased"),
        ("RoBERTa", "roberta", "bert", "roberta-base, distilroberta-base"),
        ("XLM-RoBERTa", "xlm-roberta", "bert", LABELS["xlm-roberta.such_as"]),
        ("CamemBERT", "camembert", "bert", LABELS["camembert.such_as"]),
        ("ELECTRA", "electra", "bert", "electra-small-discriminator, electra-small-generator"),
        ("ALBERT", "albert", "bert", LABELS["albert.such_as"]),
        ("ModernBERT", "modernbert", "bert", "ModernBERT-base, ettin-encoder-17m"),
        ("T5, T5 v1.1", "t5", "t5", "t5-small, flan-t5-small"),
        ("ViT", "vit", "vit", LABELS["facts_only"]),
        ("ImageGPT", "imagegpt", "image_gpt", LABELS["facts_only"]),
    )
)
KIND_OF = {one.model_type: one.kind for one in PUBLISHED}
CLASSIFIER_KIND = "gpt-labels"  # a GPT that judges texts: it reads as one, and never writes


def has_architecture_suffix(theirs: Mapping[str, object], end: str) -> bool:
    """Return whether the config names a class with this ending, such as "ForSequenceClassification"."""
    said = theirs.get("architectures")
    return isinstance(said, list) and any(str(one).endswith(end) for one in said)


def model_kind(config: Mapping[str, object]) -> str:
    """Return our kind of the model of any config.json; of one that can't be read, its own name for it."""
    foreign = str(config.get("model_type", "gpt2"))
    kind = str(config["kind"]) if "kind" in config else KIND_OF.get(foreign, foreign)
    has_labels = (
        flatten_settings(config).get("n_label")
        if "kind" in config
        else has_architecture_suffix(config, "ForSequenceClassification")
    )
    return CLASSIFIER_KIND if kind == "gpt" and has_labels else kind


def check_not_quantized(theirs: Mapping[str, object]) -> None:
    """Raise ImportRefused if the weights were rounded to a few bits (bitsandbytes, GPTQ, AWQ, FP8, MLX).

    Source: huggingface/transformers, utils/quantization_config.py; ml-explore/mlx-lm writes "quantization".
    """
    told = theirs.get("quantization_config") or theirs.get("quantization")
    if not told:
        return
    method = told.get("quant_method", "") if isinstance(told, dict) else ""
    raise ImportRefused(LABELS("quantized_by", method=shorten_name(str(method), 40)) if method else LABELS["quantized"])


_TITLES = {one.model_type: one.title for one in PUBLISHED}
# Ends of the names in "architectures", and the family that represents all models made for it. The first that fits.
_MADE_FOR = (
    ("ForConditionalGeneration", "t5"),
    ("Seq2SeqLM", "t5"),
    ("ForCausalLM", "llama"),
    ("LMHeadModel", "gpt2"),
    ("ForImageClassification", "vit"),
    ("ForMaskedImageModeling", "vit"),
    ("ForMaskedLM", "bert"),
    ("ForPreTraining", "bert"),
    ("ForSequenceClassification", "bert"),
    ("ForTokenClassification", "bert"),
    ("ForQuestionAnswering", "bert"),
)
# Relatives whose names don't say so.
_RELATIVES = {
    "gptj": "gpt_neox", "codegen": "gpt_neox", "stablelm": "gpt_neox", "falcon": "gpt_neox", "gpt_neo": "gpt2",
    "gpt_bigcode": "gpt2", "opt": "gpt2", "bloom": "gpt2", "mpt": "gpt2", "xglm": "gpt2", "openai-gpt": "gpt2",
    "bart": "t5", "mbart": "t5", "marian": "t5", "pegasus": "t5", "blenderbot": "t5", "m2m_100": "t5",
    "deberta": "bert", "deberta-v2": "bert", "mpnet": "bert", "xlnet": "bert", "nomic_bert": "bert",
    "deepseek_v2": "qwen3_moe", "deepseek_v3": "qwen3_moe", "gpt_oss": "mixtral", "olmo": "olmo2", "olmoe": "olmo2",
    "deit": "vit", "beit": "vit", "dinov2": "vit", "swin": "vit", "clip": "vit",
}  # fmt: skip
_WITHOUT_ATTENTION = ("mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv5", "rwkv6", "xlstm", "resnet", "convnext")


def unsupported_model_type_advice(theirs: Mapping[str, object]) -> str:
    """Why a config.json of no family here can't be opened: the nearest relative that can, and what shows the model."""
    told = theirs.get("model_type")
    if not isinstance(told, str) or not told:
        return LABELS["no_model_type"]
    kind = shorten_name(repr(told), 40)
    if told in _WITHOUT_ATTENTION:
        return LABELS("no_attention", kind=kind)
    near = _nearest_family(theirs)
    if near is None:
        return LABELS("unsupported", kind=kind)
    return LABELS("unsupported_near", kind=kind, title=_TITLES[near], near=near)


def _nearest_family(theirs: Mapping[str, object]) -> str | None:
    """Return the `model_type` of the nearest family that can be read here, or None if nothing indicates one."""
    told = str(theirs.get("model_type"))
    text = theirs.get("text_config")  # of a model that also sees or hears
    if isinstance(text, dict) and text.get("model_type") in _TITLES:
        return str(text["model_type"])
    if told in _RELATIVES:
        return _RELATIVES[told]
    if same_root := [one for one in _TITLES if _root(one) == _root(told.lower())]:  # it is a later version, most often
        return get_close_matches(told.lower(), same_root, n=1, cutoff=0)[0]
    made_for = theirs.get("architectures")
    name = str(made_for[0]) if isinstance(made_for, list) and made_for else ""
    usual = next((family for end, family in _MADE_FOR if name.endswith(end)), None)
    if usual is None and theirs.get("is_encoder_decoder") is True:
        usual = "t5"
    kinds = {one.model_type: one.kind for one in PUBLISHED}
    candidates = [one for one in kinds if usual is None or kinds[one] == kinds[usual]]
    alike = get_close_matches(told.lower(), candidates, n=1, cutoff=0.6)
    return alike[0] if alike else usual


def _root(name: str) -> str:
    """Return the letters that a name begins with: "llama" of "llama4_text"."""
    return name[: next((n for n, letter in enumerate(name) if not letter.isalpha()), len(name))]
