"""A model of a family that isn't read here: its nearest relative that is, by what it was made for and by its name."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from core.models.imports.published import PUBLISHED
from core.models.imports.weights_file import shown

_TITLES = {one.model_type: one.title for one in PUBLISHED}
# Ends of the names in "architectures", and the family that stands for all that are made for it. The first that fits.
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


def why_unknown(theirs: Mapping[str, Any]) -> str:
    """Why a config.json of no family here can't be opened: the nearest relative that can, and what shows the model."""
    told = theirs.get("model_type")
    if not isinstance(told, str) or not told:
        return (
            "a model of no model_type cannot be read here: its config.json isn't one of transformers. Open a folder "
            "that `save_pretrained` has written"
        )
    kind = shown(repr(told), 40)
    if told in _WITHOUT_ATTENTION:
        return f"a model of type {kind} cannot be read here: it has no attention to look at. Open a transformer instead"
    near = relative(theirs)
    nearest = (
        f"its nearest relative that can is {_TITLES[near]} ({near})" if near else "the room Pretrained lists what can"
    )
    return (
        f"a model of type {kind} cannot be read here; {nearest}. In a notebook, `heads(model)` of core.notebook draws "
        "the attention of any Hugging Face model"
    )


def relative(theirs: Mapping[str, Any]) -> str | None:
    """The `model_type` of the nearest family that is read here; None where nothing tells."""
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
    """The letters that a name begins with: "llama" of "llama4_text"."""
    return name[: next((n for n, letter in enumerate(name) if not letter.isalpha()), len(name))]
