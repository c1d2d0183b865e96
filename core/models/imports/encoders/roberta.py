"""RoBERTa and, for other languages, XLM-RoBERTa and CamemBERT, as our BERT.

How they differ from their nearest relatives is listed in assets/labels/models.md, by `model_type`: `roberta`, `xlm-
roberta`, `camembert`.

Source: huggingface/transformers, models/roberta, xlm_roberta and camembert; Liu et al. 2019 (1907.11692), Conneau et
al. 2019 (1911.02116), Martin et al. 2019 (1911.03894).
"""

from functools import partial

from core.data.localization.labels import module_labels
from core.models.imports.encoders.bert import (
    BODY,
    POOLER,
    TASKS,
    bert_family_common_fields,
    count_labels,
    output_head_kind,
)
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    padding_row_last_conversion,
)
from core.models.imports.weights_file import ImportRefused, is_count

LABELS = module_labels(__name__)

HEADS = {
    "masked": (
        TensorMapping("lm_head.dense.{p}", "head.dense.{p}"),
        TensorMapping("lm_head.layer_norm.{p}", "head.norm.{p}"),
        TensorMapping("lm_head.bias", "head.unembed.bias"),
        TensorMapping("lm_head.decoder.bias", "head.unembed.bias", alias=True),
        TensorMapping("lm_head.decoder.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (
        TensorMapping("classifier.dense.{p}", "head.pooler.{p}"),
        TensorMapping("classifier.out_proj.{p}", "head.classify.{p}"),
    ),
} | TASKS


def plan(theirs: Config, shapes: Shapes, vocab_size: int = 50265) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't.

    vocab_size: where the config says none.
    """
    head = output_head_kind(theirs, shapes, masked="lm_head.dense.weight", pooler="classifier.dense.weight")
    n_position, padding = theirs.get("max_position_embeddings", 512), theirs.get("pad_token_id", 1)
    if not is_count(padding) or not is_count(n_position) or not padding + 1 < n_position <= 10**7:
        raise ImportRefused(LABELS("no_positions", n_position=str(n_position)[:20], padding=str(padding)[:20]))
    fields = bert_family_common_fields(theirs) | {
        "vocab_size": theirs.get("vocab_size", vocab_size),
        "context_length": n_position - padding - 1,
        "pad_id": padding,
        "head": head,
        "n_label": count_labels(
            theirs, shapes, "classifier.out_proj.weight" if head == "sequence" else "classifier.weight"
        ),
    }
    positions = TensorMapping(
        "embeddings.position_embeddings.weight", "pos_emb.weight", padding_row_last_conversion(padding)
    )
    return ImportPlan(fields, (*BODY, positions, *HEADS[head]), unused=POOLER)


IGNORED = r"embeddings\.(position_ids|token_type_ids)"
FAMILY = ImportFamily(plan, prefix="roberta.", ignored=IGNORED)
XLM_ROBERTA = CAMEMBERT = ImportFamily(partial(plan, vocab_size=30522), prefix="roberta.", ignored=IGNORED)
