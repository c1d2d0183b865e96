"""ELECTRA, as our BERT. Its two halves come as two folders.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `electra`.

Source: huggingface/transformers, models/electra/modeling_electra.py; Clark et al. 2020 (2003.10555).
"""

from core.models.imports.encoders import bert
from core.models.imports.encoders.bert import TASKS, bert_family_common_fields, count_labels, output_head_kind
from core.models.imports.tensor_plan import Config, ImportFamily, ImportPlan, Shapes, TensorMapping, activation_setting

BODY = (*bert.BODY, *bert.POSITIONS, TensorMapping("embeddings_project.{p}", "tok_proj.{p}"))
HEADS = {
    "masked": (
        TensorMapping("generator_predictions.dense.{p}", "head.dense.{p}"),
        TensorMapping("generator_predictions.LayerNorm.{p}", "head.norm.{p}"),
        TensorMapping("generator_lm_head.bias", "head.unembed.bias"),
        TensorMapping("generator_lm_head.weight", "head.unembed.weight", alias=True),
    ),
    "replaced": (
        TensorMapping("discriminator_predictions.dense.{p}", "head.dense.{p}"),
        TensorMapping("discriminator_predictions.dense_prediction.{p}", "head.classify.{p}"),
    ),
    "sequence": (
        TensorMapping("classifier.dense.{p}", "head.pooler.{p}"),
        TensorMapping("classifier.out_proj.{p}", "head.classify.{p}"),
    ),
} | TASKS
USUAL = {"hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024, "embedding_size": 128}


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    theirs = USUAL | dict(theirs)
    head = output_head_kind(
        theirs, shapes, masked="generator_predictions.dense.weight", pooler="classifier.dense.weight"
    )
    head = "replaced" if "discriminator_predictions.dense.weight" in shapes else head
    width = theirs["embedding_size"]
    fields = bert_family_common_fields(theirs) | {
        "vocab_size": theirs.get("vocab_size", 30522),
        "context_length": theirs.get("max_position_embeddings", 512),
        "d_embed": None if width == theirs["hidden_size"] else width,
        "head": head,
        "n_label": count_labels(
            theirs, shapes, "classifier.out_proj.weight" if head == "sequence" else "classifier.weight"
        ),
        "pool": "gelu",
        # The discriminator's head bends as the blocks do, the generator's always by the exact GELU.
        "head_style": {
            "activation": activation_setting(theirs, "hidden_act", "gelu") if head == "replaced" else "gelu"
        },
    }
    return ImportPlan(fields, BODY + HEADS[head])


FAMILY = ImportFamily(plan, prefix="electra.", ignored=r"embeddings\.(position_ids|token_type_ids)")
