"""BERT, with whichever head the folder has: which of its tensors goes where in ours.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `bert`.

The head is read off the file: `cls.predictions` is the masked head, `qa_outputs` one that finds the answer to a
question in the text, `classifier` one for the text or one for each token (the config's "architectures" says which;
otherwise a pooler decides), and a bare body has none.

Source: huggingface/transformers, models/bert/modeling_bert.py; Devlin et al. 2018 (1810.04805).
"""

from dataclasses import replace

from core.data.localization.labels import module_labels
from core.models.imports.published import has_architecture_suffix
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
)
from core.models.imports.weights_file import ImportRefused

LABELS = module_labels(__name__)

BODY = (
    TensorMapping("embeddings.word_embeddings.weight", "tok_emb.weight"),
    TensorMapping("embeddings.token_type_embeddings.weight", "seg_emb.weight"),
    TensorMapping("embeddings.LayerNorm.{p}", "embed_norm.{p}"),
    TensorMapping("encoder.layer.{n}.attention.self.query.{p}", "blocks.{n}.attn.w_q.{p}"),
    TensorMapping("encoder.layer.{n}.attention.self.key.{p}", "blocks.{n}.attn.w_k.{p}"),
    TensorMapping("encoder.layer.{n}.attention.self.value.{p}", "blocks.{n}.attn.w_v.{p}"),
    TensorMapping("encoder.layer.{n}.attention.output.dense.{p}", "blocks.{n}.attn.w_o.{p}"),
    TensorMapping("encoder.layer.{n}.attention.output.LayerNorm.{p}", "blocks.{n}.norm_1.{p}"),
    TensorMapping("encoder.layer.{n}.intermediate.dense.{p}", "blocks.{n}.mlp.w_in.{p}"),
    TensorMapping("encoder.layer.{n}.output.dense.{p}", "blocks.{n}.mlp.w_out.{p}"),
    TensorMapping("encoder.layer.{n}.output.LayerNorm.{p}", "blocks.{n}.norm_2.{p}"),
)
POSITIONS = (TensorMapping("embeddings.position_embeddings.weight", "pos_emb.weight"),)
# The heads that all of them call the same.
TASKS: dict[str, tuple[TensorMapping, ...]] = {
    "tokens": (TensorMapping("classifier.{p}", "head.classify.{p}"),),
    "span": (TensorMapping("qa_outputs.{p}", "head.classify.{p}"),),
    "none": (),
}
HEADS = {
    "masked": (
        TensorMapping("cls.predictions.transform.dense.{p}", "head.dense.{p}"),
        TensorMapping("cls.predictions.transform.LayerNorm.{p}", "head.norm.{p}"),
        TensorMapping("cls.predictions.bias", "head.unembed.bias"),
        TensorMapping("cls.predictions.decoder.bias", "head.unembed.bias", alias=True),
        TensorMapping("cls.predictions.decoder.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (
        TensorMapping("pooler.dense.{p}", "head.pooler.{p}"),
        TensorMapping("classifier.{p}", "head.classify.{p}"),
    ),
} | TASKS
POOLER = ("pooler.dense.weight", "pooler.dense.bias")
FIXED = {"is_decoder": False, "add_cross_attention": False, "position_embedding_type": "absolute"}


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    head = output_head_kind(
        theirs, shapes, masked="cls.predictions.transform.dense.weight", pooler="pooler.dense.weight"
    )
    fields = bert_family_common_fields(theirs) | {
        "vocab_size": theirs.get("vocab_size", 30522),
        "context_length": theirs.get("max_position_embeddings", 512),
        "head": head,
        "n_label": count_labels(theirs, shapes, "classifier.weight"),
    }
    check_head_activation(theirs, "hidden_act", head)
    return ImportPlan(fields, BODY + POSITIONS + HEADS[head], unused=() if head == "sequence" else POOLER)


def bert_family_common_fields(theirs: Config) -> dict[str, object]:
    """Return the fields that BERT and RoBERTa share. Raises ImportRefused for options that ours doesn't have."""
    check_supported_settings(theirs, FIXED)
    return {
        "kind": "bert",
        "n_layer": theirs.get("num_hidden_layers", 12),
        "n_head": theirs.get("num_attention_heads", 12),
        "d_model": theirs.get("hidden_size", 768),
        "d_ff": theirs.get("intermediate_size", 3072),
        "n_segment": theirs.get("type_vocab_size", 2),
        "block": {
            "norm_first": False,
            "activation": activation_setting(theirs, "hidden_act", "gelu"),
            "eps": theirs.get("layer_norm_eps", 1e-12),
        },
    }


def check_head_activation(theirs: Config, name: str, head: str) -> None:
    """Raise ImportRefused if the masked head's activation isn't the exact GELU, the only one that ours has."""
    if head == "masked" and theirs.get(name, "gelu") != "gelu":
        raise ImportRefused(LABELS("head_activation", name=name, value=repr(theirs[name])))


def output_head_kind(theirs: Config, shapes: Shapes, masked: str, pooler: str) -> str:
    """Return our name of the head in the file; `masked` and `pooler` are tensors that only one head has."""
    if masked in shapes:
        return "masked"
    if "qa_outputs.weight" in shapes:
        return "span"
    if not any(name.startswith("classifier.") for name in shapes):
        return "none"
    for end, head in (("ForTokenClassification", "tokens"), ("ForQuestionAnswering", "span")):
        if has_architecture_suffix(theirs, end):
            return head
    return "sequence" if pooler in shapes else "tokens"


def untie_output_layer(plan: ImportPlan, theirs: Config, shapes: Shapes) -> ImportPlan:
    """Give the plan an output layer of its own, if the config says that it isn't the embedding.

    Files may hold its bias twice, and then the layer's own one counts.
    """
    if plan.fields.get("head") != "masked" or theirs.get("tie_word_embeddings", True) is not False:
        return plan
    style = plan.fields.get("head_style", {}) | {"tied": False}
    own = {row.theirs for row in plan.rows if row.alias and row.theirs in shapes}
    own_bias = any(row.theirs in own for row in plan.rows if row.ours == "head.unembed.bias")
    spare = {row.theirs for row in plan.rows if own_bias and not row.alias and row.ours == "head.unembed.bias"}
    return replace(
        plan,
        fields=plan.fields | {"head_style": style},
        rows=tuple(
            replace(row, alias=row.alias and row.theirs not in own and row.ours != "head.unembed.weight")
            for row in plan.rows
            if row.theirs not in spare
        ),
        unused=(*plan.unused, *spare),
    )


def count_labels(theirs: Config, shapes: Shapes, name: str) -> int:
    """Return the head's number of answers: the rows of its last layer. Raises ImportRefused if the config differs."""
    shape = shapes.get(name, (2,))
    found = shape[0] if shape else 0
    names = theirs.get("id2label")
    if name in shapes and isinstance(names, dict) and len(names) != found:
        raise ImportRefused(LABELS("n_label", n=len(names), name=name, n_row=found))
    return found


FAMILY = ImportFamily(
    plan,
    prefix="bert.",
    ignored=r"embeddings\.(position_ids|token_type_ids)|cls\.seq_relationship\.(weight|bias)",
    spelling={".gamma": ".weight", ".beta": ".bias"},
)
