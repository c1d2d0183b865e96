"""What the family table says about its examples is so, computed from the records that ship."""

import numpy as np
import pytest

from core.rooms.families import three_blocks, who_reads
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import FAMILIES, ThreeFamilies, rebuild_families
from core.rooms.families.experiments.families import COLUMNS
from core.rooms.families.inputs import DEFAULT_WALK
from core.train.experiment import make_experiment, run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun


@pytest.fixture(scope="module")
def shown() -> ExperimentRun:
    return run_experiment("families")


@pytest.fixture(scope="module")
def three(shown: ExperimentRun) -> ThreeFamilies:
    return rebuild_families(shown.record)


def test_the_example_is_what_the_code_makes_now(shown: ExperimentRun) -> None:
    running = make_experiment("families", {}, 0)
    while running.step < 8:
        running.advance()
    now, then = running.record(), shown.record
    assert np.allclose(now["curve.exact"], then["curve.exact"][:1], atol=0.05)
    assert np.allclose(now["curve.loss"], then["curve.loss"][:8], rtol=0.01)


def test_nearly_everything_and_one_zero(shown: ExperimentRun) -> None:
    exact = shown.record["curve.exact"]
    zero = FAMILIES.index("encoder"), COLUMNS.index("longer")
    assert (exact[:, zero[0], zero[1]] == 0).all()
    rest = np.delete(exact[-1].ravel(), np.ravel_multi_index(zero, exact[-1].shape))
    assert rest.min() > 0.9
    # Which family is first differs from task to task: half way, another one leads.
    half = exact[len(exact) // 2]
    first = [FAMILIES[int(half[:, COLUMNS.index(c)].argmax())] for c in ("continue", "translate")]
    assert first[0] != first[1]


def test_longer_translations_and_longer_walks(three: ThreeFamilies) -> None:
    walk, _ = walks.parse_walk(DEFAULT_WALK)
    truth = walk.answer("translate")
    assert walk.is_longer
    said = {family: three[family].answers([walk], "translate")[0] for family in FAMILIES}
    assert said["decoder"] == said["encoder_decoder"] == truth
    assert said["encoder"] == truth[: len(walk.things)]  # it breaks off
    long = walks.draw_walks(40, np.random.default_rng(7), n_thing=walks.MAX_TYPED_THINGS)
    right = {
        (family, task): np.mean(
            [a == w.answer(task) for a, w in zip(three[family].answers(long, task), long, strict=True)]
        )
        for family in FAMILIES
        for task in ("continue", "translate")
    }
    assert all(right[family, "translate"] == 0 for family in FAMILIES)
    assert sum(right[family, "continue"] < 0.05 for family in FAMILIES) == 2
    chip, _ = walks.parse_walk("crab fox starfish wave moss owl boat tree")
    assert len(chip.things) == 8
    assert all(three[one].answers([chip], "translate")[0] != chip.answer("translate") for one in FAMILIES)
    short, _ = walks.parse_walk("crab fox wave moss")
    assert not short.is_longer and three["encoder"].answers([short], "translate")[0] == short.answer("translate")


def test_who_reads_whom(shown: ExperimentRun) -> None:
    best: dict[tuple[str, str], tuple[int, int]] = {}
    for task in ("translate", "continue"):
        found = who_reads.compute(who_reads.Inputs(task=task), shown).maps
        for name in ("decoder", "encoder", "cross"):
            one: who_reads.FamilyAttention = found[name]
            best[name, task] = one.best
            at_truth = np.where(one.truth, one.weights.mean((0, 1)), 0).sum() / one.truth.any(-1).sum()
            assert at_truth < 0.75 * one.scores.max()  # averaged, the rings fade
        assert not found["decoder"].mask.all() and found["encoder"].mask.all() and found["cross"].mask.all()
    assert found["encoder"].truth[-3:].any(-1).all() and found["encoder"].rows[-1] == "<mask>"
    assert any(best[name, "translate"] != best[name, "continue"] for name in ("decoder", "encoder"))


def test_the_blocks_have_the_parameters_that_the_text_says() -> None:
    pre, post = (three_blocks.compute(three_blocks.Inputs(norms=norms)).plans for norms in ("pre", "post"))
    for one, other in zip(pre, post, strict=True):
        assert one.total == other.total and {p.name for p in one.parts} == {p.name for p in other.parts}
    cross = {part.name: part.count for part in pre[2].parts}
    assert cross["cross_attn"] == cross["attn"]
