"""Whatever a published model's config says or leaves out, it is read as Hugging Face reads it, or refused in words."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import transformers as t

from core.models import pretrained
from core.models.imports.published import PUBLISHED
from core.models.pretrained import ImportRefused, load
from tests.counts import at_most, in_turn
from tests.library.parity.test_decoders_today import FAMILIES as DECODERS, WRITERS
from tests.library.parity.test_encoders_today import FAMILIES as ENCODERS
from tests.library.parity.test_imports import BERT, DISTIL, GPT, T5, V11, VIT, saved

ONE_OF_EACH: dict[str, tuple[Any, Any]] = {
    "gpt2": (t.GPT2LMHeadModel, t.GPT2Config(**GPT)),
    "bert": (t.BertForSequenceClassification, t.BertConfig(**BERT)),
    "distilbert": (t.DistilBertForMaskedLM, t.DistilBertConfig(**DISTIL)),
    "roberta": (t.RobertaForTokenClassification, t.RobertaConfig(**BERT)),
    "t5": (t.T5ForConditionalGeneration, t.T5Config(**T5 | V11)),
    "vit": (t.ViTForImageClassification, t.ViTConfig(**VIT)),
    "imagegpt": (t.ImageGPTForCausalImageModeling, t.ImageGPTConfig(**GPT)),
    **{config.model_type: (kind, config) for kind, config in (DECODERS[name] for name in WRITERS)},
    **{config.model_type: (kind, config) for kind, config, _ in ENCODERS.values()},
}
ANYTHING = [None, True, False, -1, 0, 1, 2, 3, 7, 10**6, 10**30, -0.0, 0.5, 1e-5, 1e300, "", "gelu", "x" * 2000, [],
            [4, 4], [[None]], {}, {"0": "a"}]  # fmt: skip


@pytest.mark.parametrize("name", in_turn(ONE_OF_EACH, 4))
def test_any_value_of_a_config_changed_loads_or_is_refused_in_plain_words(tmp_path: Path, name: str) -> None:
    kind, config = ONE_OF_EACH[name]
    saved(tmp_path, kind(config))
    true = json.loads((tmp_path / "config.json").read_text())
    dice, refused = random.Random(3), 0
    for _ in range(60):
        changed = dict(true)
        for key in dice.sample(sorted(true), dice.choice([1, 1, 1, 2, 5])):
            changed[key] = dice.choice(ANYTHING)
            if dice.random() < 0.1:
                del changed[key]
        (tmp_path / "config.json").write_text(json.dumps(changed))
        with at_most(1.0):
            try:
                load(tmp_path)
            except ImportRefused as error:
                refused += 1
                message = str(error)
                assert 10 < len(message) < 500 and message.isprintable() and "Traceback" not in message
    assert 10 < refused < 60


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_what_a_config_leaves_out_is_as_with_hugging_face(name: str) -> None:
    """Each value by itself; what has no usual value may be missed in words."""
    default = ONE_OF_EACH[name][1].__class__().to_dict()
    plan = pretrained.FAMILIES[name].plan
    said, missed = written_out(plan(default, {}).fields), []
    for key in default:
        try:
            found = plan({one: value for one, value in default.items() if one != key}, {}).fields
            assert written_out(found) == said, key
        except ImportRefused as error:
            missed.append(str(error))
    assert len(missed) < 15 and all("does not say" in one for one in missed)


def written_out(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the config with the numbers that None means."""
    if "n_decoder_layer" in fields:
        fields["n_decoder_layer"] = fields["n_decoder_layer"] or fields["n_layer"]
    if "d_head" in fields:
        fields["d_head"] = fields["d_head"] or fields["d_model"] // fields["n_head"]
    return fields


def test_a_model_of_every_family_is_read_here() -> None:
    assert set(ONE_OF_EACH) == set(pretrained.FAMILIES) == {one.model_type for one in PUBLISHED}
