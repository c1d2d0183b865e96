"""The tokens that a model computes at each step while it writes a text: with a KV cache, and without."""

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, Result, Table, memoize
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues
from core.inspect.attention_record import as_batch
from core.inspect.costs.model_cost import decoding_step_cost
from core.inspect.model_inputs.model_and_text import ModelAndText, model_vocabulary
from core.rooms.cache.inputs import CacheInputs, fit_prompt, note_cut

LABELS = module_labels(__name__)
CODE = (CachedModel.next_logits, KeyValues, decoding_step_cost)


class Inputs(CacheInputs):
    """A decoder and a prompt."""


class ComputedTokens(Result):
    """A prompt and N new tokens, written greedily with the cache. All arrays are (N,), one number for each step."""

    n_prompt: int
    tokens: tuple[str, ...]  # the new tokens
    computed: NDArray[np.int64]  # tokens that the step computes with the cache
    computed_anew: NDArray[np.int64]  # without it: the whole text so far
    work: NDArray[np.int64]  # work, work_anew: multiply-adds of the step, see `decoding_step_cost`
    work_anew: NDArray[np.int64]
    is_same: bool  # whether the model writes the same tokens without the cache

    def table(self) -> Table:
        """Return one row for each new token."""
        return {
            LABELS["table.token"]: self.tokens,
            LABELS["table.computed_anew"]: self.computed_anew,
            LABELS["table.computed"]: self.computed,
            LABELS["table.work_anew"]: self.work_anew,
            LABELS["table.work"]: self.work,
        }


@memoize(MAX_FIGURES)
@torch.no_grad()
def count_computed(given: ModelAndText) -> ComputedTokens:
    """Generate greedily with the cache and count what each step computes.

    What the model writes without the cache is read off one pass over the whole text: under a causal mask the logits
    after a token are the same whatever follows.
    """
    prompt, n_new = fit_prompt(given)
    model, config, names = given.model, given.config, model_vocabulary(given.key)
    cached, ids, seen = CachedModel(model), list(prompt.ids), [0]
    for _ in range(n_new):
        ids.append(int(cached.next_logits([ids])[0].argmax()))
        seen.append(cached.n_token)
    computed = np.diff(seen)
    lengths = prompt.n_token + np.arange(n_new)
    anew = model(as_batch(model, ids[:-1]))[0, prompt.n_token - 1 :].argmax(-1).tolist()
    steps = list(zip(computed.tolist(), lengths.tolist(), strict=True))
    return ComputedTokens(
        n_prompt=prompt.n_token,
        tokens=tuple(names[token] for token in ids[prompt.n_token :]),
        computed=computed,
        computed_anew=lengths,
        work=np.array([decoding_step_cost(config, new, length - new).total for new, length in steps]),
        work_anew=np.array([decoding_step_cost(config, length, 0, n_logit=length).total for _, length in steps]),
        is_same=anew == ids[prompt.n_token :],
    )


def compute(inputs: Inputs) -> ComputedTokens:
    """Return what each step computes, with the cache and without."""
    return count_computed(inputs.given)


def draw(result: ComputedTokens, inputs: Inputs) -> None:
    """Draw a row for each step and a cell for each token it reads; filled where it is computed."""
    note_cut(inputs.given)
    ui.mount_widget(
        "computed_cells",
        key=f"computed-{inputs.given.content}",
        height=420,
        takeaway=ui.section_text("takeaway"),
        n_prompt=result.n_prompt,
        tokens=list(result.tokens),
        n_computed=[result.computed_anew.tolist(), result.computed.tolist()],
        work=[result.work_anew.tolist(), result.work.tolist()],
        is_same=result.is_same,
    )
