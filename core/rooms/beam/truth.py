"""Beam search against the truth: a model whose every text can be listed, and who finds the best of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.before_after import before_after
from core.generate.beam import beam_search
from core.rooms.beam.compute import enumeration
from core.rooms.beam.compute.enumeration import Tables
from core.rooms.beam.compute.search_ranks import SearchRanks, search_ranks
from core.rooms.beam.experiments import beam_truth as task
from core.rooms.beam.ranked_texts_chart import ranked
from core.train import experiment
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained

NAME = "beam-truth"
BEAMS = tuple(range(1, 9))
N_SAMPLE = 100
MOST_LISTED = 8  # texts in the table below the chart, before those that somebody found
STARTS = {" ".join(task.TOKENS[i] for i in one) or "(the beginning)": one for one in task.beginnings()}


@memoize(MAX_RESULTS)
def tables(models: Trained) -> Tables:
    """What the trained model expects after each unfinished text."""
    model = experiment.rebuild(models.record, task.VARIANT, task.config())
    return enumeration.tables(
        lambda ids: model(ids)[:, -1].double().log_softmax(-1), [task.END], len(task.TOKENS), task.LENGTH, task.END
    )


@memoize(MAX_RESULTS)
def landed(models: Trained, edit: tuple[str, int, float] | None, penalty: float) -> SearchRanks:
    """Rank all texts, search with every B.

    Args:
        edit: after what, which token, its new probability; None: the model as it is.
        penalty: the exponent of the length, α.
    """
    return search_ranks(changed(tables(models), edit), penalty, BEAMS[-1])


def changed(known: Tables, edit: tuple[str, int, float] | None) -> Tables:
    """The tables with the learner's change."""
    return known if edit is None else enumeration.with_probability(known, STARTS[edit[0]], edit[1], edit[2])


@exhibit(
    title="Beam against the truth",
    look_for="where greedy search lands, and how many beams B (texts kept at once) it takes to find the best one. The "
    "dots are texts drawn at random: sampling isn't looking for the best text at all.",
    try_this=[
        (
            "Switch on “Change one probability”: after the beginning, “a”, 0.50.",
            "Now greedy search starts with “a” and finds the best text: rank 1.",
        ),
        (
            "After “the”, change the full stop to 0.30.",
            "With the example, two beams end at rank 3 and one at rank 2: a larger B can do worse. With B = 3 the best "
            "text is found.",
        ),
        (
            "Set the length penalty to 1.",
            "Now other texts count as good. With the example, the empty text, just a full stop, falls from rank 4 to "
            "rank 286, and greedy's long sentence rises from 11 to 3.",
        ),
    ],
    code=(
        search_ranks,
        enumeration.tables,
        enumeration.every_text,
        enumeration.with_probability,
        beam_search,
        task.BeamTruth,
    ),
    formula=r"p(\text{text}) = \prod_t p(x_t \mid x_{<t}) \qquad \sum_{\text{all texts}} p(\text{text}) = 1",
)
def truth() -> Shown | None:
    """The training, the change, the ranked chart, the verdict and the best texts."""
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="truth_seed")
    with right:
        penalty = float(
            controls.slider(
                "truth_penalty",
                "Length penalty",
                0.0,
                2.0,
                0.0,
                step=0.25,
                help="With 0 the likeliest text is the best.",
            )
        )
    shown = live.train(NAME, {}, seed, label="Train the model", about="400 steps take about three seconds.")
    if shown is None:
        return None
    models = trained(shown)
    loss = float(shown.record[f"curve.{task.VARIANT}.loss"][-1])
    st.caption(
        f"The words: {', '.join(task.TOKENS[1:])}, and the full stop, which ends a text. A text has at most "
        f"{task.LENGTH} tokens."
    )
    depth.note(
        f"After step {shown.step} the model's loss is {loss:.3f} nats per sentence; with the true probabilities it "
        f"would be {task.floor():.3f}."
    )
    edit = _ask_change(tables(models))
    result = landed(models, edit, penalty)
    samples = enumeration.draw(result.texts, N_SAMPLE, shown.seed)
    order = np.argsort(result.ranks)
    spec = ranked(
        result.scores[order],
        _marks(result),
        result.ranks[samples] + 1,
        y_title=depth.measured("log-probability", "nats")
        if penalty == 0
        else depth.measured("score", f"log-probability ÷ length^{penalty:g}"),
        mode=layout.color_mode(),
    )
    st.vega_lite_chart(spec, alt=_in_words(result), key="truth-ranks")
    st.caption(
        f"Diamonds: where the searches end. Dots: the {N_SAMPLE} drawn texts, larger if drawn more often. Both scales "
        "are compressed, so equal distances aren't equal differences."
    )
    _verdict(result, samples)
    _table(result, samples, order, penalty)
    return Shown(
        numbers=lambda: result.table(task.TOKENS),
        arrays=lambda: {
            "ids": result.texts.ids,
            "log_probs": result.texts.log_probs,
            "scores": result.scores,
            "ranks": result.ranks,
            "beams": np.array(result.beams),
            "samples": samples,
        },
        figure=spec,
        formula=_formula(result, changed(tables(models), edit)),
        script=lambda: _script(shown, edit, penalty),
    )


def _ask_change(known: Tables) -> tuple[str, int, float] | None:
    """The controls of the one change, and the row of the table before and after it."""
    if not controls.toggle("truth_change", "Change one probability"):
        return None
    one, two, three = st.columns([1, 1, 1], gap="medium")
    with one:
        start = controls.select("truth_after", "After …", list(STARTS), next(iter(STARTS)))
    with two:
        word = controls.select("truth_word", "the word …", list(task.TOKENS), "a")
    with three:
        p = float(controls.slider("truth_p", "has probability …", 0.0, 1.0, 0.5, step=0.01))
    edit = start, task.TOKENS.index(word), p
    before = known.after(STARTS[start])
    after = changed(known, edit).after(STARTS[start])
    st.vega_lite_chart(
        before_after(
            task.TOKENS, before.tolist(), after.tolist(), mode=layout.color_mode(), names=("learned", "changed")
        ),
        alt=f"After {start}: “{word}” had probability {before[edit[1]]:.3f} and now has {p:.2f}.",
        key="truth-row",
    )
    st.caption("The other words share the rest in their old proportions. Switch it off to get the model back.")
    return edit


def _say(new: Sequence[int]) -> str:
    return "“" + " ".join(task.TOKENS[i] for i in new) + "”"


def _name(beams: Sequence[int]) -> str:
    """ "B = 2" or "B = 3 to 8"; gaps are listed."""
    runs: list[list[int]] = []
    for b in beams:
        if runs and runs[-1][-1] == b - 1:
            runs[-1].append(b)
        else:
            runs.append([b])
    return "B = " + ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _who(result: SearchRanks) -> dict[int, str]:
    """place -> who ends there."""
    found: dict[int, str] = {}
    for place in dict.fromkeys((result.greedy, *result.beams)):
        beams = [b for b, at in zip(BEAMS, result.beams, strict=True) if at == place]
        names = ["greedy"] * (place == result.greedy) + [_name(beams)] * bool(beams)
        found[place] = ", ".join(names)
    return found


def _marks(result: SearchRanks) -> list[dict[str, Any]]:
    return [
        {
            "rank": result.rank(place),
            "name": who,
            "text": _say(result.texts.new_ids(place)),
            "probability": result.probability(place),
        }
        for place, who in _who(result).items()
    ]


def _in_words(result: SearchRanks) -> str:
    where = ", ".join(f"{mark['name']}: rank {mark['rank']}" for mark in _marks(result))
    return f"All {len(result.scores):,} texts by rank. {where}."


def _verdict(result: SearchRanks, samples: NDArray[np.int64]) -> None:
    n_best = int((samples == result.best).sum())
    found = (
        f"the smallest B that finds it is **{result.first}**"
        if result.first is not None
        else f"no B up to {BEAMS[-1]} finds it"
    )
    fall = "" if result.worse is None else f" Here B = {result.worse} does worse than B = {result.worse - 1}."
    empty = enumeration.place_of(result.texts, [task.END])
    aside = ""
    if result.probability(empty) > result.probability(result.greedy):
        aside = (
            f" The empty text, just the full stop, has probability {result.probability(empty):.3f}: more than what "
            "greedy search writes."
        )
    st.markdown(
        f"Of **{len(result.scores):,}** texts the best is {_say(result.texts.new_ids(result.best))}, with probability "
        f"**{result.probability(result.best):.3f}**; {found}. Greedy search writes "
        f"{_say(result.texts.new_ids(result.greedy))}: rank **{result.rank(result.greedy)}**, probability "
        f"{result.probability(result.greedy):.3f}. Of {N_SAMPLE} drawn texts {n_best} are the best one.{fall}{aside}"
    )


def _table(result: SearchRanks, samples: NDArray[np.int64], order: NDArray[np.int64], penalty: float) -> None:
    who = _who(result)
    listed = dict.fromkeys([*order[:MOST_LISTED].tolist(), *sorted(who, key=result.rank)])
    scored = "probability" if penalty == 0 else "probability | score"
    rows = []
    for place in listed:
        n_drawn = int((samples == place).sum())
        found = [who[place]] if place in who else []
        found += [f"drawn {n_drawn} times" if n_drawn != 1 else "drawn once"] * (n_drawn > 0)
        score = "" if penalty == 0 else f" {result.scores[place]:.3f} |"
        text, p = _say(result.texts.new_ids(place)), result.probability(place)
        rows.append(f"| {result.rank(place):,} | {text} | {p:.4f} |{score} {' · '.join(found)} |")
    head = f"| rank | text | {scored} | found by |"
    st.markdown("\n".join([head, "|--:|:--|" + "--:|" * (head.count("|") - 4) + ":--|", *rows]))


def _formula(result: SearchRanks, known: Tables) -> str:
    new = result.texts.new_ids(result.best)
    factors = r" \cdot ".join(f"{known.after(new[:k])[token]:.3f}" for k, token in enumerate(new))
    return rf"p(\text{{best}}) = {factors} = {result.probability(result.best):.3f}"


def _script(shown: live.Live, edit: tuple[str, int, float] | None, penalty: float) -> str:
    change = ""
    if edit is not None:
        arguments = ", ".join(scripts.literal(one) for one in (STARTS[edit[0]], *edit[1:]))
        change = (
            "# One probability, set by hand: after these words, this word. The others share the rest.\n"
            f"known = enumeration.with_probability(known, {arguments})\n"
        )
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.beam.compute import enumeration
        from core.rooms.beam.compute.search_ranks import search_ranks
        from core.train.experiment import rebuild, record_of
        from core.rooms.beam.experiments import beam_truth

        model = rebuild($record, beam_truth.VARIANT, beam_truth.config())
        words, end = beam_truth.TOKENS, beam_truth.END

        # The model as tables: what it expects after each unfinished text.
        known = enumeration.tables(
            lambda ids: model(ids)[:, -1].double().log_softmax(-1), [end], len(words), beam_truth.LENGTH, end
        )
        $change
        # All texts with their exact probabilities, ranked; `landed.beams` tells where beam search ends with each B.
        landed = search_ranks(known, length_penalty=$penalty, most_beams=$most_beams)
        print_table(landed.table(words))
        """,
        record=scripts.record(NAME, shown),
        change=scripts.Code(change),
        penalty=penalty,
        most_beams=BEAMS[-1],
    )
