"""A GPT's config: nine fields of its own and today's options in a group; older files have all in one table."""

import dataclasses
import json
from dataclasses import replace

import pytest

from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.positions import RotarySettings
from core.train.recipes import RECIPES
from tests.configs import changed

# A config.json of an older version, as it was written: today's options next to the sizes.
OLD = """{"kind": "gpt", "vocab_size": 9, "context_length": 32, "n_layer": 2, "n_head": 4, "d_model": 16,
"n_kv_head": 2, "d_head": 6, "d_ff": 24, "d_embed": null, "positions": "rotary",
"rotary": {"base": 500000.0, "factor": 8.0}, "slopes": null, "window": 5, "windowed": [1], "window_rotary": null,
"unrotated": [0], "scale": 0.5,
"experts": {"n_expert": 4, "n_active": 2, "renormalize": true, "d_shared": null}, "embed_scale": 4.0,
"embed_norm": true, "token_shift": false, "tied": false, "output_bias": true, "logit_softcap": 30.0, "n_label": null,
"causal": true, "block": {"norm": "rms", "bias": false}}"""
CONFIG = GPTConfig(
    vocab_size=9, context_length=32, n_layer=2, n_head=4, d_model=16, d_ff=24, positions="rotary", tied=False,
    block=BlockStyle(norm="rms", bias=False),
    modern=Modern(
        n_kv_head=2, d_head=6, rotary=RotarySettings(base=500_000.0, factor=8.0), window=5, windowed=(1,),
        unrotated=(0,), scale=0.5, experts=ExpertSettings(n_expert=4, n_active=2), embed_scale=4.0, embed_norm=True,
        output_bias=True, logit_softcap=30.0,
    ),
)  # fmt: skip


def test_an_older_file_loads() -> None:
    """Catches a saved model or run that can no longer be opened, and an option that gets lost on the way."""
    assert registry.from_dict(json.loads(OLD)) == CONFIG


@pytest.mark.parametrize("write", [registry.to_dict, registry.flat_settings])
def test_what_is_written_is_read_again(write) -> None:  # type: ignore[no-untyped-def]
    """Catches a field that only one of the two directions knows."""
    assert registry.from_dict(json.loads(json.dumps(write(CONFIG)))) == CONFIG


def test_a_gpt_has_nine_fields_of_its_own() -> None:
    """Catches one more option among the sizes, where a learner has to read past it."""
    groups = {"block", "modern"}
    assert len({field.name for field in dataclasses.fields(GPTConfig)} - groups) == 9
    assert registry.to_dict(CONFIG).keys() == {"kind"} | {field.name for field in dataclasses.fields(GPTConfig)}


def test_settings_have_every_option_under_its_own_name() -> None:
    """Catches two groups with a field of the same name, of which one would hide the other."""
    names = [field.name for kind in (GPTConfig, Modern) for field in dataclasses.fields(kind)]
    assert sorted(registry.flat_settings(CONFIG)) == sorted({*names, "kind"} - {"modern"})
    assert len(names) == len(set(names))


def test_options_of_any_model() -> None:
    """Catches a family that has some of today's options and does not say so, so that costs and pictures miss them."""
    families = registry.FAMILIES
    assert registry.modern_options_of_model(CONFIG) is CONFIG.modern
    bert = families["bert"].config(vocab_size=9, n_head=2, d_model=8, window=3, d_embed=4, positions="rotary")
    assert registry.modern_options_of_model(bert) == Modern(window=3, d_embed=4)
    assert registry.modern_options_of_model(families["t5"].config(vocab_size=9, d_head=5)) == Modern(d_head=5)
    assert (
        registry.modern_options_of_model(families["rnn"].config(vocab_size=9))
        == registry.modern_options_of_model(object())
        == Modern()
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scale": 0.0}, "scale=0.0 is not between"),
        ({"window": 0}, "window=0"),
        ({"logit_softcap": -1.0}, "softcap=-1"),
    ],
)
def test_impossible_options_are_refused(change: dict[str, float], words: str) -> None:
    """Catches an option that is no longer checked since it moved out of the config."""
    with pytest.raises(ValueError, match=words):
        changed(CONFIG, **change)


def test_a_recipe_has_one_table_of_settings() -> None:
    """Catches a recipe whose grouped options the studio's controls would not find, and show as if they were unset."""
    nested = replace(RECIPES["stories"], model={"n_layer": 2, "modern": {"window": 5}})
    assert nested.model == {"n_layer": 2, "window": 5} and nested.config(9).modern == Modern(window=5)
