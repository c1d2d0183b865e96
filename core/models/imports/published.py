"""The published models that are read here: what people call them, and what they call themselves in config.json."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Published(NamedTuple):
    """One `model_type`.

    Attributes:
        title: what people call it.
        model_type: what config.json calls it.
        kind: our architecture, one of `core.models.registry.CONFIGS`.
        such_as: some of its models.
    """

    title: str
    model_type: str
    kind: str
    such_as: str


PUBLISHED = tuple(
    Published(*row)
    for row in (
        ("GPT-2", "gpt2", "gpt", "gpt2, distilgpt2; like all decoders, also fine-tuned as classifiers"),
        ("GPT-NeoX, Pythia", "gpt_neox", "gpt", "pythia-70m, pythia-160m"),
        ("Llama, SmolLM", "llama", "gpt", "SmolLM2-135M, TinyLlama, Llama 2 and 3"),
        ("Mistral", "mistral", "gpt", "Mistral-7B"),
        ("Qwen2, Qwen2.5", "qwen2", "gpt", "Qwen2.5-0.5B"),
        ("Qwen3", "qwen3", "gpt", "Qwen3-0.6B"),
        ("Gemma", "gemma", "gpt", "gemma-2b"),
        ("Gemma 2", "gemma2", "gpt", "gemma-2-2b"),
        ("Gemma 3", "gemma3_text", "gpt", "gemma-3-270m, gemma-3-1b"),
        ("Gemma 3 (multimodal), text only", "gemma3", "gpt", "gemma-3-4b; pictures aren’t read"),
        ("Phi", "phi", "gpt", "phi-1_5, phi-2"),
        ("Phi-3, Phi-4-mini", "phi3", "gpt", "Phi-3-mini-4k"),
        ("OLMo 2", "olmo2", "gpt", "OLMo-2-1B"),
        ("OLMo 3", "olmo3", "gpt", "Olmo-3-7B"),
        ("SmolLM3", "smollm3", "gpt", "SmolLM3-3B; every fourth layer has no positions"),
        ("Mixtral", "mixtral", "gpt", "Mixtral-8x7B; a mixture of experts"),
        ("Qwen1.5-MoE, Qwen2-MoE", "qwen2_moe", "gpt", "Qwen1.5-MoE-A2.7B"),
        ("Qwen3-MoE", "qwen3_moe", "gpt", "Qwen3-30B-A3B"),
        ("BERT", "bert", "bert", "bert-base-uncased; with a head for words, labels or answers"),
        ("DistilBERT", "distilbert", "bert", "distilbert-base-uncased"),
        ("RoBERTa", "roberta", "bert", "roberta-base, distilroberta-base"),
        ("XLM-RoBERTa", "xlm-roberta", "bert", "xlm-roberta-base, a hundred languages"),
        ("CamemBERT", "camembert", "bert", "camembert-base, French"),
        ("ELECTRA", "electra", "bert", "electra-small-discriminator, electra-small-generator"),
        ("ALBERT", "albert", "bert", "albert-base-v2; its layers share one set of weights"),
        ("ModernBERT", "modernbert", "bert", "ModernBERT-base, ettin-encoder-17m"),
        ("T5, T5 v1.1", "t5", "t5", "t5-small, flan-t5-small"),
        ("ViT", "vit", "vit", "facts only"),
        ("ImageGPT", "imagegpt", "image_gpt", "facts only"),
    )
)
KIND_OF = MappingProxyType({one.model_type: one.kind for one in PUBLISHED})
LABELS = "gpt-labels"  # a GPT that judges texts: it reads as one, and never writes


def is_made_for(theirs: Mapping[str, Any], end: str) -> bool:
    """Whether a class that their config names ends so: "ForSequenceClassification" and its like."""
    said = theirs.get("architectures")
    return isinstance(said, list) and any(str(one).endswith(end) for one in said)


def kind_of(config: Mapping[str, Any]) -> str:
    """The kind that a config.json tells, ours or a stranger's; a stranger's that is not read: its own name for it."""
    foreign = str(config.get("model_type", "gpt2"))
    kind = str(config["kind"]) if "kind" in config else KIND_OF.get(foreign, foreign)
    has_labels = config.get("n_label") if "kind" in config else is_made_for(config, "ForSequenceClassification")
    return LABELS if kind == "gpt" and has_labels else kind
