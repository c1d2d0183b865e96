"""The page of lessons: the shelf, the steps, questions that stay answered, things to do that are noticed."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.lessons.format import catalog
from core.lessons.format.lesson import CheckQuestion, ExhibitPart, ExhibitTask, LessonStep, PredictQuestion, Prose
from core.rooms import all_exhibits
from core.train import experiment
from core.ui.controls.drawn_controls import ControlState
from core.ui.exhibit import pane_and_rail
from tests.counts import in_turn
from tests.other_runs import shorter, train_all
from tests.pages.rooms import predicted

ROOT = Path(__file__).resolve().parents[2]
PAGE = "pages/lessons/lessons.py"
ONLY_AT_TIMES = {"budget_guess_stories", "param_vocab"}  # controls that are drawn when another one stands elsewhere
# Questions whose computation an exhibit before them shows as well, and why that does not tell the answer.
SHOWN_BEFORE = {
    "tokens/2.1": "of another text",
    "tokens/2.2": "of another text",
    "positions/9.1": "there without positions, until one chooses a scheme",
    "soft-dictionary/5.0": "there with the keys as they are",
    "many-heads/3.1": "there what a head reads, not what it writes",
    "many-heads/7.1": "there one head at a time",
    "gpt/3.1": "there of another text",
    "t5/7.1": "there of other texts",
    "induction/6.1": "there without the part that switches heads off",
    "induction/6.2": "as above",
    "induction/6.3": "as above",
    "fewer-bits/4.1": "there with a scale for each row",
    "then-and-now/2.1": "there without what was measured, until one guesses",
    "then-and-now/3.1": "as above",
    "then-and-now/4.0": "as above",
    "then-and-now/4.1": "as above",
}
# What lessons say that a mark in a picture is, and what the exhibits of that step hold if it is so.
MARK = re.compile(r"number in a cell|A cell|bright cell|[Ee]ach (?:dot|frame|bar|small picture)|[Dd]ashed line")
MARKS = {
    ("tokens", "number in a cell"): "Probability of each token, given all before it",
    ("many-heads", "Each small picture"): "head_grid",
    ("the-block", "dashed line"): "Dashed: without residual paths",
    ("counting-to-attention", "dashed line"): "LSTM, bias",
    ("counting-to-attention", "bright cell"): "of the weight on average",
    ("bert", "dashed line"): "a blind guess",
    ("vision", "each frame"): "The thicker the frame",
}
MINE = """---
title: Mine
about: A lesson of a teacher.
minutes: 5
needs: [masks]
trains: nothing much
---

## One

Words.

```predict
ask: How many?
number: {low: 0, high: 50, unit: cells}
exhibit: masks.kinds-of-masks
with: {given: Tom and Mia played near the, kinds: [Causal], padding: 0}
answer: mask.sum()
found: The causal mask for {{ rows|length }} words has {{ answer }} open cells.
because: "You said {guess}, it is {came}; $x^{2}$ stays."
```

```check
ask: Which?
options: {a: this, b: that}
right: a
why: {b: Not that.}
because: So it is.
```

```predict
ask: What did I think?
options: {a: red, b: blue}
right: b
```

## Two

```exhibit masks.kinds-of-masks
set: {mask_how: and}
```

```do
say: Join by or.
when: mask_how = or
```

## Three

```exhibit masks.kinds-of-masks
set: {mask_how: xor}
```

```do
say: Train in the studio.
when: trained studio
```
"""


@pytest.fixture
def folder(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A teacher's folder with one lesson and one file that is none."""
    monkeypatch.setenv("GLASSFORMER_LESSONS", str(tmp_path))
    (tmp_path / "50-mine.md").write_text(MINE)
    (tmp_path / "51-wrong.md").write_text(MINE.replace("minutes: 5", "minutes: x").replace("right: a", "right: c"))
    return tmp_path


def opened(**address: str) -> AppTest:
    """The page at an address."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    clean(app)
    return app


def clean(app: AppTest) -> None:
    """No fault on the page."""
    assert not app.exception
    assert not [one.value for one in app.error if "Something went wrong" in str(one.proto)]


def words(app: AppTest) -> str:
    """All Markdown of the page."""
    told = "\n".join(str(one.value) for one in [*app.markdown, *app.caption, *app.info, *app.warning])
    return told.replace("\\", "").replace("\u2060", "")  # without what keeps text from being Markdown


def step_text(step: LessonStep) -> str:
    """All that a step says, but for what its exhibits say."""
    return "\n".join(str(getattr(part, name, "")) for part in step.parts for name in ("text", "because", "say"))


def drawn(app: AppTest) -> str:
    """All that the server sent for the exhibits of the page."""
    found: list[str] = []

    def collect(block: Any, is_inside: bool) -> None:
        for child in block.children.values():
            if hasattr(child, "children"):
                collect(child, is_inside or "-exhibit-" in str(getattr(child.proto, "id", "")))
            elif is_inside:
                found.append(str(child.proto))

    collect(app.main, False)
    return "\n".join(found)


def button(app: AppTest, key: str) -> object:
    """The button of this key, or of one that ends so."""
    return next(one for one in app.button if str(one.key).endswith(key))


def test_the_shelf_shows_all_lessons_and_what_is_wrong_with_files(folder: Path) -> None:
    app = opened()
    links = [link.proto for link in app.main.get("page_link")]
    house = [one for one in catalog.lesson_files().values() if one.is_own and one.lesson]
    assert "Start here" in links[0].label
    shown = [link.query_string for link in links[1:]]
    assert shown[0] == "lesson=mine&step=1"  # a teacher's own stand on top
    assert [one for one in shown if "mine" not in one] == [f"lesson={one.slug}&step=1" for one in house]
    said = words(app)
    assert "5 minutes" in said
    assert "From your teacher" in [one.value for one in app.header]
    assert "51-wrong.md" in said and "line 4: The head needs minutes" in said and "right: 'c' is none of" in said


@pytest.mark.parametrize("name", ["nothing", "../../etc/passwd", "wrong", "<b>", "x" * 3000, "\u202e", "mine\x00"])
def test_a_wrong_address_leads_to_the_shelf(folder: Path, name: str) -> None:
    app = opened(lesson=name)
    said = words(app)
    assert "There's no lesson “" in said or "can't be shown" in said


@pytest.mark.parametrize("step", ["0", "-1", "99", "two", "", "²", "1e9", "9" * 5000])
def test_a_wrong_step_leads_to_one_that_there_is(folder: Path, step: str) -> None:
    app = opened(lesson="mine", step=step)
    assert app.title[0].value == "Mine"
    assert "This lesson has 3 steps, and you see step" in app.warning[0].value


def test_a_question_is_committed_first_and_stays_answered(folder: Path) -> None:
    app = opened(lesson="mine", step="1")
    assert "21" not in words(app) and app.main.get("progress")[0].proto.text == "Step 1 of 3"
    button(app, ".0.commit").click().run()  # the first of them: nothing was chosen
    assert "Choose an answer first" in words(app) and "21" not in words(app)
    app.number_input[0].set_value(20.0)
    button(app, ".1.0.commit").click().run()
    clean(app)
    said = words(app)
    assert "You said 20 cells. The answer is **21 cells**: you were 1 cell too low." in said
    assert "You said 20 cells, it is 21 cells; $x^{2}$ stays." in said and "for 6 words has 21" in said
    app.radio[0].set_value("b")
    button(app, ".2.0.commit").click().run()
    said = words(app)
    assert "You said that. The answer: **this**." in said and "Not that." in said and "So it is." in said
    assert "- **this** :gray-badge[right]" in said and "- that :gray-badge[your answer]" in said
    button(app, ".3.0.show").click().run()
    said = words(app)
    assert "The answer is **blue**" in said and "wrote this answer; nothing was computed" in said
    assert button(app, "gf-lesson-next").label == "Next"
    button(app, "gf-lesson-next").click().run()
    button(app, "gf-lesson-back").click().run()
    assert "The answer is **21 cells**" in words(app) and not app.number_input
    button(app, ".1.again").click().run()
    assert app.number_input[0].value is None and button(app, "gf-lesson-next").label == "Skip"


def test_code_is_folded_at_every_depth() -> None:
    for depth in ("story", "numbers"):
        app = opened(lesson="masks", step="3", depth=depth)
        assert "Code: causal" in [one.label for one in app.expander] and not app.code


def test_what_a_lesson_may_ask_for_is_not_folded_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a closed "More" a lesson's task names a control that nobody sees."""
    monkeypatch.setattr(pane_and_rail, "MOST_CONTROLS", 0)
    more = next(one for one in opened(lesson="t5", step="1").expander if one.label == "More")
    assert more.proto.expanded and "s1.trans_text" in [one.key for one in more.text_input]


def test_what_is_to_be_done_is_noticed_and_stays_done(folder: Path) -> None:
    app = opened(lesson="mine", step="2")
    assert "**Do this.** Join by or." in words(app) and button(app, "gf-lesson-next").label == "Skip"
    how = next(one for one in app.get("button_group") if one.key == "s2.mask_how")
    how.set_value([how.options[1]] if isinstance(how.value, list) else how.options[1]).run()
    clean(app)
    assert "**Done.** Join by or." in words(app) and button(app, "gf-lesson-next").label == "Next"
    button(app, "gf-lesson-next").click().run()
    assert not [name for name in app.query_params if name.startswith("s2.")]
    button(app, "gf-lesson-back").click().run()
    assert "**Done.** Join by or." in words(app)


def test_a_preset_that_does_not_fit_is_told_in_plain_words(folder: Path) -> None:
    app = opened(lesson="mine", step="3")
    assert "of this lesson sets a control of masks" in words(app) and "to a value it can't have" in words(app)
    assert "“xor” is not one of" in words(app)
    assert "The end" in app.subheader[-1].value


def test_the_end_and_the_card_tell_what_was_done_and_lead_to_what_is_open(folder: Path) -> None:
    app = opened(lesson="mine", step="1")
    for key in (".1.0.show", ".2.0.show"):
        button(app, key).click().run()
    app.radio[0].set_value("b")
    button(app, ".3.0.commit").click().run()
    for _ in range(2):
        button(app, "gf-lesson-next").click().run()
    said = words(app)
    assert "Predictions: **1** of 2 made, 1 only shown." in said
    assert "Questions on what you read: **0** of 1 answered, 1 only shown." in said
    assert "Things to try: **0** of 1 done, 1 open." in said and "Not trained yet: **nothing much**." in said
    assert [one.label for one in app.button if "gf-lesson-open" in str(one.key)] == ["2. Two", "3. Three"]
    button(app, "gf-lesson-open-2").click().run()
    assert app.header[0].value == "Two"
    how = next(one for one in app.get("button_group") if one.key == "s2.mask_how")
    how.set_value([how.options[1]] if isinstance(how.value, list) else how.options[1]).run()
    app.query_params.clear()
    app.switch_page(PAGE).run()
    assert "**Seen**, 1 thing open" in words(app) and "**Done**" not in words(app)


def test_progress_is_kept_and_can_be_cleared(folder: Path) -> None:
    app = opened(lesson="mine", step="2")
    app.query_params.clear()
    app.switch_page(PAGE).run()
    assert "Step 2 of 3: continue" in words(app)
    links = [link.proto for link in app.main.get("page_link")]
    assert links[0].label == "Continue with **Mine**, step 2" and links[0].query_string == "lesson=mine&step=2"
    next(one for one in app.button if one.label == "Clear my progress").click().run()
    assert ": continue" not in words(app) and "Continue with" not in words(app)


@pytest.mark.parametrize("slug", in_turn(catalog.catalog_lessons(), 4))
def test_every_step_opens_and_has_the_controls_that_it_names(
    slug: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a fault or a warning, and every name is a control's: one that nothing has would be set in silence.

    No exhibit shows what this visitor trained earlier, with other options than the texts mean, and no answer is
    computed from it: a fault would stand in its place. No exhibit shows what a question after it asks for. And who
    skips everything has not done the lesson.
    """
    train_all(monkeypatch).update({name: shorter(name) for name in experiment.EXPERIMENTS})
    lesson, shown_before = catalog.catalog_lessons()[slug], set[Any]()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    app.query_params["lesson"] = slug
    predicted(app, slug, 1)
    app.switch_page(PAGE).run()
    for number, step in enumerate(lesson.steps, 1):
        if number > 1:
            predicted(app, slug, number)
            button(app, "gf-lesson-next").click().run()
        clean(app)
        assert not [one.value for one in app.warning], (number, app.warning)
        assert "Try this" not in [one.label for one in app.expander], number  # it would tell what is still to be asked
        for mark in MARK.findall(step_text(step)):
            assert MARKS[slug, mark] in drawn(app), (number, mark)
        asked: dict[str, ControlState] = app.session_state["_state.asked"]
        prefix, n_piece = "", 0
        for i, part in enumerate(step.parts):
            if isinstance(part, PredictQuestion) and (
                came := app.session_state[f"_state.lessons.{slug}.{number}.{i}"].came
            ):
                is_told = came.code is not None and inspect.unwrap(came.code) in shown_before
                is_other = f"{slug}/{number}.{i}" in SHOWN_BEFORE or part.own is not None  # one's own is still to come
                assert not is_told or is_other, (number, i, "an exhibit shows it before")
            if isinstance(part, ExhibitPart):
                shown_before |= {inspect.unwrap(one) for one in all_exhibits()[part.name].exhibit().code}
                n_piece += 1
                prefix = f"s{number}." if n_piece == 1 else f"s{number}.{n_piece}."
                for name in {*part.values, *part.lock, *part.hide} - ONLY_AT_TIMES:
                    assert prefix + name in asked, (number, part.name, name, sorted(asked))
                for name, value in part.values.items():
                    wanted = tuple(value) if isinstance(value, list) else value
                    assert name in ONLY_AT_TIMES or asked[prefix + name].value == wanted, (number, name)
            if isinstance(part, ExhibitTask):
                for name in re.findall(r"(?:^|and )([a-z][a-z0-9_.]*) *[<>=!]", part.when):
                    assert {prefix + name, name} & {*asked, *ONLY_AT_TIMES}, (number, part.when)
    kinds = [{type(part) for part in step.parts} for step in lesson.steps]
    n_shown = sum(isinstance(part, PredictQuestion) for step in lesson.steps for part in step.parts)
    assert f"**0** of {n_shown} made, {n_shown} only shown." in words(app) and "Lesson done" not in words(app)
    trains = any(
        isinstance(part, ExhibitTask) and "trained" in part.when for step in lesson.steps for part in step.parts
    )
    assert ("Not trained yet" in words(app)) == trains and "You trained" not in words(app)
    ways_back = [str(one.key).rpartition("-")[2] for one in app.button if str(one.key).startswith("gf-lesson-open-")]
    assert ways_back == [str(number) for number, found in enumerate(kinds, 1) if {CheckQuestion, ExhibitTask} & found]


def test_the_short_path_takes_an_hour() -> None:
    short = [one for one in catalog.lesson_files().values() if one.course == "short"]
    minutes = [one.lesson.minutes for one in short if one.lesson is not None]
    assert len(minutes) == 6 and sum(minutes) <= 60


@pytest.mark.parametrize("slug", [slug for slug, one in catalog.lesson_files().items() if one.is_own and one.lesson])
def test_a_lesson_has_what_every_lesson_has(slug: str) -> None:
    lesson = catalog.catalog_lessons()[slug]
    parts = [part for step in lesson.steps for part in step.parts]
    predictions = [part for part in parts if isinstance(part, PredictQuestion)]
    assert predictions and all(one.answer is not None for one in predictions)
    n_do = sum(isinstance(part, ExhibitTask) for part in parts)
    if catalog.lesson_files()[slug].course == "short":
        assert 3 <= len(lesson.steps) <= 5 and 5 <= lesson.minutes <= 12
        assert n_do >= len(lesson.steps) - 1
    else:
        assert n_do >= 3
        assert lesson.sources and 8 <= len(lesson.steps) <= 12 and 10 <= lesson.minutes <= 20
        assert len(predictions) >= 2 and any(isinstance(part, CheckQuestion) for part in parts)
        assert any(
            isinstance(one, ExhibitTask) and "trained" in one.when for step in lesson.steps[:-1] for one in step.parts
        )
    for step in lesson.steps[:-1]:
        told = [one.text for one in step.parts if isinstance(one, Prose) and one.depth == "story"]
        has_more = any(isinstance(one, ExhibitPart | PredictQuestion | CheckQuestion) for one in step.parts)
        assert sum(len(text.split()) for text in told) <= (200 if has_more else 125), step.title
    pieces = [[part.name for part in step.parts if isinstance(part, ExhibitPart)] for step in lesson.steps]
    assert all(len(names) == len(set(names)) for names in pieces), "an exhibit stands twice in one step"
    assert lesson.trains
