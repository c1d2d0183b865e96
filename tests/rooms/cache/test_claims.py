"""What the cache's texts promise happens with the models that ship. More of it is in test_page.py."""

import numpy as np

from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.cache import same_words, tables
from core.rooms.cache.inputs import CacheInputs


def test_every_step_but_the_first_costs_next_to_nothing_with_the_cache() -> None:
    given = CacheInputs().given
    found = same_words.compare_cache(given.model, given.ids, 64, n_repeat=1, most_seconds=600)
    assert found.is_same and len(found.work) == 64
    assert (found.work[1:] < 0.05 * found.work_anew[1:]).all()
    assert found.work_anew.sum() > 2.5 * found.work_anew[:32].sum()  # twice the tokens, more than twice the work


def test_each_step_adds_one_row_and_no_earlier_row_changes() -> None:
    found = tables.compute(tables.Inputs())
    text = load_model_and_text("stories", "".join(found.tokens), 128)
    shorter = load_model_and_text("stories", "".join(found.tokens[:-6]), 128)
    for name in ("k", "v"):
        whole, part = (getattr(one.attention, name) for one in (text, shorter))
        np.testing.assert_allclose(part, whole[..., : part.shape[-2], :], atol=1e-5)
