"""The masking lab: which tokens of a batch are chosen, how they are changed, and what the model must predict."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import masked_stories
from core.exhibit import MAX_SEED, Control, Inputs as Base, Result, Table, memoize, seed, slider
from core.train.experiments.masking import (
    BERT_RULE,
    MASKED,
    REPLACED,
    UNCHANGED,
    binomial_mean_and_deviation,
    corrupt_tokens,
    masked_token_loss,
)

LABELS = module_labels(__name__)

N_ROW, LENGTH = 8, 24
N_BATCH = 200  # batches in the tally: about 5,000 chosen tokens at 15%, which resolves 1% of the text to a tenth
NAMES = tuple(LABELS.options("fate").values())  # fates, numbered as in `corrupt_tokens`
CODE = (corrupt_tokens, masked_token_loss, binomial_mean_and_deviation)


class Inputs(Base, prefix="lab_"):
    share: int = slider(5, 60, 15, step=5)
    seed: int = seed(before_render="core.rooms.encoder.lab:roll")


def roll(control: Control, _: object) -> None:
    """Draw the button that advances to the next seed; after the last one comes the first."""
    if ui.control_button(LABELS["roll"], control, key="lab-roll", icon=":material/casino:", type="primary"):
        ui.set_control(control, (int(min(max(0, ui.current_value(control, 0)), MAX_SEED)) + 1) % (MAX_SEED + 1))


class MaskedBatch(NamedTuple):
    """Eight rows with their gaps, and the fate of each word."""

    read: NDArray[np.int64]  # read, truth: (B, T) ids that the model reads, and must predict
    truth: NDArray[np.int64]
    fate: NDArray[np.int64]  # (B, T) indices in `NAMES`
    eligible: NDArray[np.bool_]  # (B, T) True where a token could have been chosen

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of words of each fate (4,)."""
        return np.bincount(self.fate[self.eligible], minlength=4)


class Fates(Result):
    """A batch, the fates of its words, and those of many batches."""

    read: NDArray[np.int64]  # see `MaskedBatch`
    truth: NDArray[np.int64]
    fate: NDArray[np.int64]
    eligible: NDArray[np.bool_]
    share: float  # share of the eligible tokens that are chosen
    added: NDArray[np.int64]  # (N, 4) cumulative counts of the fates over this batch and those after it
    counts: NDArray[np.int64]  # (4,) number of words of each fate
    shares: list[float]  # expected share of each fate
    n: int  # words that could be chosen
    n_chosen: int
    # Name, count here, expected mean and standard deviation, share of all so far, expected share.
    rows: list[tuple[object, ...]]
    formula: str  # the number of chosen words, and the expected number

    def table(self) -> Table:
        """Return one row for each fate: its count in the batch, the expected count, and the count over many batches."""
        return {
            LABELS["fate"]: list(NAMES),
            LABELS["in_this_batch"]: self.counts.tolist(),
            LABELS["expected"]: [binomial_mean_and_deviation(self.n, one)[0] for one in self.shares],
            LABELS("in_batches", n=len(self.added)): self.added[-1].tolist(),
        }


def masked_batch(seed: int, share: float) -> MaskedBatch:
    """Return rows of held-out stories, with the gaps sampled by this seed."""
    words, rows = masked_stories.masked_story_vocabulary(), masked_stories.tokenized_story_split()[1]
    generator = torch.Generator().manual_seed(seed)
    ids = rows.draw(N_ROW, LENGTH, words, generator)
    eligible = words.eligible(ids)
    found = corrupt_tokens(ids, eligible, words.mask_id, words.n_plain, generator, share)
    return MaskedBatch(found.inputs.numpy(), found.targets.numpy(), found.fate.numpy(), eligible.numpy())


@memoize(32)
def tally_fates(seed: int, share: float) -> NDArray[np.int64]:
    """Return cumulative counts of the fates over the batches of this seed and those after it (N, 4)."""
    return np.cumsum([masked_batch((seed + i) % (MAX_SEED + 1), share).counts for i in range(N_BATCH)], axis=0)


def compute(inputs: Inputs) -> Fates:
    """Choose words of eight rows of stories at random, and repeat it for many batches, one seed after the other."""
    share = inputs.share / 100
    one, added = masked_batch(inputs.seed, share), tally_fates(inputs.seed, share)
    counts, shares = one.counts, [1 - share, *(share * part for part in BERT_RULE)]
    n, n_chosen = int(one.eligible.sum()), int(counts[1:].sum())
    here, so_far = counts.tolist(), (added[-1] / added[-1].sum()).tolist()
    rows = [(LABELS["chosen"], n_chosen, 1 - so_far[0], share)]
    rows += [(NAMES[i], here[i], so_far[i], shares[i]) for i in (MASKED, REPLACED, UNCHANGED)]
    (mean, deviation), chosen = binomial_mean_and_deviation(n, share), LABELS["formula.chosen"]
    return Fates(
        **one._asdict(),
        share=share,
        added=added,
        counts=counts,
        shares=shares,
        n=n,
        n_chosen=n_chosen,
        rows=[
            (name, n_here, *binomial_mean_and_deviation(n, part), all_so_far, part)
            for name, n_here, all_so_far, part in rows
        ],
        formula=(
            rf"n_{{\text{{{chosen}}}}} = {n_chosen}, \quad {n} \cdot {share:.2f} \pm "
            rf"\sqrt{{{n} \cdot {share:.2f} \cdot {1 - share:.2f}}} = {mean:.1f} \pm {deviation:.1f}"
        ),
    )


def draw(result: Fates, inputs: Inputs) -> None:
    """Draw the batch, its counts, and the counts over many batches."""
    read, truth = (
        [masked_stories.masked_story_vocabulary().labels(row) for row in rows.tolist()]
        for rows in (result.read, result.truth)
    )
    ui.mount_widget(
        "masking",
        read=read,
        truth=truth,
        fate=result.fate.astype(np.uint8),  # numbered as in `corrupt_tokens`
        never=~result.eligible,
        key="lab-batch",
        label=LABELS("batch", seed=inputs.seed),
        takeaway=ui.section_text("takeaway"),
    )
    ui.show_text_section("counts")
    if ui.depth_at_least("numbers"):
        _settling(result)


def _settling(result: Fates) -> None:
    """Draw how the shares converge, batch by batch."""
    fates, expected, total = (MASKED, REPLACED, UNCHANGED), result.shares, result.added.sum(1)
    ui.curves(
        {NAMES[fate]: (np.arange(1, N_BATCH + 1), 100 * result.added[:, fate] / total) for fate in fates},
        x=LABELS["batches"],
        n_step=N_BATCH,
        y=ui.Axis(LABELS["share_axis"], (0, 100 * result.share)),
        references={
            f"{100 * expected[MASKED]:.3g}%": 100 * expected[MASKED],
            LABELS("percent_each", percent=100 * expected[REPLACED]): 100 * expected[REPLACED],
        },
        height=220,
    )
