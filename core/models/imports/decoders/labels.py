"""A Hugging Face decoder that was fine-tuned to judge texts: any that is read, with labels in place of tokens.

Its layer `score` stands where the output layer was, and is read at the last token of a text. Logits are not bounded
there, also where the same model bounds those of its tokens (Gemma 2).

Source: huggingface/transformers, modeling_layers.py (GenericForSequenceClassification), models/gpt2 and gpt_neox.
"""

from dataclasses import replace

from core.models.imports.encoders.bert import n_label
from core.models.imports.published import is_made_for
from core.models.imports.tensor_plan import Config, Plan, Row, Shapes

SCORE = "score.weight"
OUTPUT = ("unembed.weight", "unembed.bias", "unembed.{p}")


def judges(theirs: Config) -> bool:
    """Whether the folder's decoder has labels to choose from."""
    return is_made_for(theirs, "ForSequenceClassification")


def with_labels(plan: Plan, theirs: Config, shapes: Shapes) -> Plan:
    """The same model with labels, if it has some.

    plan: of the family, as if it wrote. Raises ImportRefused if the config names another number of labels.
    """
    if plan.fields["kind"] != "gpt" or not judges(theirs):
        return plan
    fields = plan.fields | {
        "n_label": n_label(theirs, shapes, SCORE),
        "tied": False,
        "output_bias": False,
        "logit_softcap": None,
    }
    rows = tuple(row for row in plan.rows if row.ours not in OUTPUT)
    return replace(plan, fields=fields, rows=(*rows, Row(SCORE, "unembed.weight")))
