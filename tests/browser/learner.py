"""A learner at a lesson: answers its questions, does what it asks for, and goes on, all by clicks and keys.

What a thing to do asks for is found in its condition: a control is moved by keyboard or click until the page notices.
What stands in a picture, and not in a control, is in `IN_PICTURES`.
"""

import re
import time
from collections.abc import Callable
from typing import Any

from core.lessons.computed_answers import AnswerPending, compute_answer
from core.lessons.format import forms
from core.lessons.format.lesson import (
    CheckQuestion,
    ChoiceForm,
    CurveAnswerForm,
    ExhibitPart,
    ExhibitTask,
    Lesson,
    LessonStep,
    NumberForm,
    PredictQuestion,
)
from core.lessons.lesson_ui import conditions
from tests.browser.rooms import follow, still
from tests.chromium import LONGEST_WAIT

TRAIN_SECONDS = 900  # of one training that goes on; a machine that others use too is no fault
PATIENCE = (0.15, 3.0)  # seconds; the second for a machine so busy that the page did not say it in the first
MAX_PRESSES, MAX_OPTIONS = 60, 12
SLIDER = "input[type=range]"
TEXT = "textarea, [data-testid=stTextInput] input"
TOLD = re.compile("The answer is |that's the answer|the real curve|from the real one")  # what a verdict says


def key_class(key: str) -> str:
    """The class that Streamlit gives to what has this key."""
    return ".st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key)


def is_on(button: Any) -> bool:
    """Whether this option is chosen."""
    return "true" in (button.get_attribute("aria-checked"), button.get_attribute("aria-pressed"))


def write(control: Any, text: str) -> None:
    """Write into a field of text, and say that one is done."""
    field = control.locator(TEXT).first
    field.fill(text)
    field.press("Control+Enter" if control.locator("textarea").count() else "Enter")


class Learner:
    """One visitor in one lesson."""

    def __init__(self, page: Any, lesson: Lesson) -> None:
        self.page, self.lesson = page, lesson
        self.number = 1

    @property
    def step(self) -> LessonStep:
        return self.lesson.steps[self.number - 1]

    def whole_lesson(self) -> None:
        """From the first step to the last."""
        while True:
            self.page.get_by_text(f"Step {self.number} of {len(self.lesson.steps)}", exact=True).wait_for()
            still(self.page)
            assert self.page.locator(".st-key-gf-lesson-head h1").inner_text() == self.lesson.title
            self.one_step()
            if self.number == len(self.lesson.steps):
                break
            forward = self.page.locator(".st-key-gf-lesson-next button")
            assert forward.inner_text().strip().startswith("Next"), (self.number, "something is still open")
            forward.click()
            self.number += 1
        self.page.get_by_text("Lesson done").wait_for()

    def one_step(self) -> None:
        """All questions and things to do of this step, in their order; no part shows a fault."""
        waiting: list[tuple[int, PredictQuestion]] = []
        for i, part in enumerate(self.step.parts):
            if isinstance(part, PredictQuestion):
                if self.predict(i, part):
                    waiting.append((i, part))
            elif isinstance(part, CheckQuestion):
                self.check(i, part)
            elif isinstance(part, ExhibitTask):
                self.do(part)
        for i, _part in waiting:  # what had to be trained first is there now, by itself
            self.box("predict", i).get_by_text(TOLD).first.wait_for()
        still(self.page)
        assert not self.page.get_by_text("Something went wrong").count(), self.where()
        assert not self.page.get_by_text("of this lesson sets a control").count(), self.where()

    def where(self) -> str:
        """For messages."""
        return f"{self.lesson.slug}, step {self.number}"

    # ---- Questions -----------------------------------------------------------------------------------------------

    def box(self, kind: str, i: int) -> Any:
        """The box of the question at this place of the step."""
        return self.page.locator(key_class(f"gf-{kind}-{self.lesson.slug}-{self.number}-{i}"))

    def predict(self, i: int, question: PredictQuestion) -> bool:
        """Commit a guess and compare what came with the computation; whether something has to be trained first."""
        box, form = self.box("predict", i), question.form
        assert not box.get_by_text(TOLD).count(), "a question that answers itself"
        if isinstance(form, ChoiceForm):
            box.locator("[role=radiogroup] label").first.click()
        elif isinstance(form, NumberForm):
            box.locator("input").fill(f"{(form.low + form.high) / 2:g}")
        else:
            self.draw(box, form)
        box.get_by_role("button", name="Commit").click()
        box.get_by_role("button", name="Try again").wait_for()
        still(self.page)  # what the question held back stands there now
        came = compute_answer(question)
        if isinstance(came, AnswerPending):
            assert came.sentence[:20] in box.inner_text()
            return True
        value = came.value
        said = f"{self.where()}: {value!r} in {box.inner_text()!r}"
        if isinstance(form, ChoiceForm):
            marked = [
                at
                for at, one in enumerate(box.locator("li").all())
                if "right answer" in one.inner_text().splitlines()[-1]
            ]
            assert marked == [list(form.options).index(str(value))], said
        elif isinstance(form, NumberForm):
            assert forms.answer_text(form, value) in box.inner_text(), said
        else:
            box.get_by_role("button", name="Table").click()
            rows = [row.locator("td").first.inner_text() for row in box.locator("tbody tr").all()]
            shown = [float(text.replace("−", "-")) for text in rows]
            assert all(abs(a - b) <= 1e-3 * max(1, abs(b)) for a, b in zip(shown, value, strict=True)), said
        return False

    def draw(self, box: Any, form: CurveAnswerForm) -> None:
        """Draw a curve with the keys, a little higher at each place."""
        sheet = box.get_by_role("application")
        sheet.focus()
        self.page.keyboard.press("Home")
        for _ in form.x:
            self.page.keyboard.press("ArrowUp")
            self.page.keyboard.press("ArrowRight")

    def check(self, i: int, question: CheckQuestion) -> None:
        """Choose what is right, and hear that it is."""
        box = self.box("check", i)
        box.locator("[role=radiogroup] label").nth(list(question.options).index(question.right)).click()
        box.get_by_role("button", name="Commit").click()
        box.get_by_role("button", name="Try again").wait_for()
        still(self.page)
        assert box.get_by_text("Yes:").count(), self.where()

    # ---- Things to do --------------------------------------------------------------------------------------------

    def mark(self, do: ExhibitTask, after: str = "") -> Any:
        """What the page says of a thing to do; with "-done", only if it says that it is done."""
        return self.page.locator(
            f'[class*="st-key-gf-do-{self.lesson.slug}-{self.number}-"][class*="-{do.line}{after}"]'
        ).first

    def is_noticed(self, do: ExhibitTask, seconds: float = 0.0) -> bool:
        """Whether the page says that it is done."""
        end = time.monotonic() + seconds
        while not self.mark(do, "-done").count():
            if time.monotonic() > end:
                return False
            self.page.wait_for_timeout(50)
        return True

    def do(self, do: ExhibitTask) -> None:
        """Do what is asked for; fails if the page does not notice."""
        parts = conditions.split_conjunction(do.when)
        self.mark(do).wait_for()
        for part in parts:
            if self.is_noticed(do):
                return
            is_last = part == parts[-1]
            kind, _, name = part.partition(" ")
            if kind == "trained":
                self.train(do, name)
            elif kind == "clicked":
                self.in_picture(do, name)
            elif kind == "changed":
                self.change(do, name, is_last=is_last)
            else:
                self.compare(do, part, is_last=is_last)
        assert self.is_noticed(do, LONGEST_WAIT), f"{self.where()}: not noticed: {do.when} ({do.say})"

    def train(self, do: ExhibitTask, name: str) -> None:
        """Press the button and wait for the end."""
        if name == conditions.STUDIO:
            self.train_in_the_studio()
        else:
            self.page.locator(f"{key_class(f'live.{name}.start')} button").click()
        assert self.is_noticed(do, TRAIN_SECONDS), f"{self.where()}: the training of {name} does not end"

    def train_in_the_studio(self) -> None:
        """Go there, train what it offers, and come back."""
        page, title = self.page, self.lesson.title
        follow(page.locator(".st-key-gf-navigation"), "Training studio")
        page.get_by_role("button", name="Train", exact=True).click()
        page.get_by_role("link", name="Look at its attention heads").wait_for(timeout=TRAIN_SECONDS * 1000)
        while page.locator("h1").inner_text() != title:
            page.go_back()
            still(page)

    def control(self, name: str) -> Any | None:
        """A control of this step, by its name; what the room's bar folds away is opened for it."""
        found = self.control_in_sight(name)
        folded = self.page.locator(".st-key-gf-looking [data-testid=stPopover] button")
        if found is None and folded.count():
            folded.first.click()
            still(self.page)
            found = self.control_in_sight(name)
        return found

    def control_in_sight(self, name: str) -> Any | None:
        n_piece = sum(isinstance(part, ExhibitPart) for part in self.step.parts)
        prefixes = [f"s{self.number}.", *(f"s{self.number}.{k}." for k in range(2, n_piece + 1)), ""]
        for prefix in prefixes:
            for key in (prefix + name, f"gf-choice-{prefix}{name}"):  # the second is answered by the browser
                found = self.page.locator(key_class(key))
                if found.locator("input, textarea, button, select").count():
                    return found.first
        return None

    def change(self, do: ExhibitTask, name: str, *, is_last: bool) -> None:
        """Move a control anywhere else, or what is kept in the address by its picture."""
        control = self.control(name)
        if control is None:
            self.in_picture(do, name)
        elif control.locator(SLIDER).count():
            handle = control.locator(SLIDER).first
            handle.press("ArrowLeft" if handle.input_value() == handle.get_attribute("max") else "ArrowRight")
        elif control.locator("[data-testid=stNumberInput] input, input[type=number]").count():
            field = control.locator("input").first
            now = float(field.input_value().replace(",", "") or 0)
            field.fill(str(int(now) - 1 if now and str(int(now)) == field.get_attribute("max") else int(now) + 1))
            field.press("Enter")
        elif control.locator(TEXT).count():
            write(control, TEXTS.get(name) or control.locator(TEXT).first.input_value() + " red")
        elif is_last:
            self.try_options(do, control, f"changed {name}")
        else:
            box = control.get_by_role("combobox").first
            before = box.input_value()
            for key in ("ArrowDown", "ArrowUp"):
                if box.input_value() == before:
                    self.choose_next(box, key)
        still(self.page)

    def compare(self, do: ExhibitTask, part: str, *, is_last: bool) -> None:
        """Move a control until the comparison holds."""
        found = re.fullmatch(r"([a-z][a-z0-9_.]*)\s*(<=|>=|!=|<|>|=)\s*(.+)", part)
        assert found is not None
        name, sign, wanted = found[1], found[2], conditions._expected_value(found[3])
        control = self.control(name)
        if control is None:
            self.in_picture(do, name)
        elif control.locator(SLIDER).count():
            self.slide(control.locator(SLIDER).first, sign, float(wanted))
        elif control.locator("input[type=number]").count():
            field = control.locator("input").first
            field.fill(str(wanted + {"<": -1, ">": 1}.get(sign, 0)))
            field.press("Enter")
        elif control.locator(TEXT).count():
            write(control, "" if found[3] == "empty" else found[3])
        elif control.locator("input[type=checkbox]").count():
            if control.locator("input[type=checkbox]").is_checked() != bool(wanted):
                control.locator("label").first.click()
        elif sign != "=" or not self.try_exact(control, found[3]):
            self.try_options(do, control, part)
        still(self.page)

    def slide(self, handle: Any, sign: str, wanted: float) -> None:
        """Move a slider by its keys until it compares as it should."""
        holds: Callable[[float], bool] = {
            "=": lambda v: abs(v - wanted) < 1e-9,
            "!=": lambda v: v != wanted,
            "<": lambda v: v < wanted,
            "<=": lambda v: v <= wanted,
            ">": lambda v: v > wanted,
            ">=": lambda v: v >= wanted,
        }[sign]

        def now() -> float:
            return float(handle.input_value())

        handle.focus()
        page = (float(handle.get_attribute("max")) - float(handle.get_attribute("min"))) / 10  # what one key passes
        for _ in range(MAX_PRESSES):
            if holds(value := now()):
                break
            is_up = value < wanted or (value == wanted and sign in (">", "!="))
            is_far = abs(wanted - value) > page
            handle.press(("PageUp" if is_up else "PageDown") if is_far else "ArrowRight" if is_up else "ArrowLeft")

    def try_exact(self, control: Any, wanted: str) -> bool:
        """Choose exactly these options, if they are named so on the screen."""
        names = [one.strip() for one in wanted.split(",")]
        buttons = control.locator("[data-testid=stButtonGroup] button, button[role=radio]")
        texts = [one.inner_text().strip() for one in buttons.all()]
        if control.get_by_role("combobox").count():
            control.get_by_role("combobox").first.click()
            option = self.page.get_by_role("option", name=wanted, exact=True)
            if option.count():
                option.first.click()
                return True
            self.page.keyboard.press("Escape")
            return False
        if not texts or not set(names) <= set(texts):
            return False
        for i, text in enumerate(texts):
            button = buttons.nth(i)
            if is_on(button) != (text in names) and (text in names or len(names) > 1):
                button.click()
                still(self.page)
        return True

    def choose_next(self, box: Any, key: str) -> None:
        """Choose the option after, or before, the one that is chosen."""
        box.click()
        for one in (key, "Enter"):
            self.page.wait_for_timeout(80)
            box.press(one)
        still(self.page)

    def try_options(self, do: ExhibitTask, control: Any, part: str) -> None:
        """Choose one option after the other until the page notices, first those that are named as is asked for."""
        box = control.get_by_role("combobox")
        if box.count():
            for key in ("ArrowDown", "ArrowUp"):
                for _ in range(MAX_OPTIONS):  # each time to the next option, or to the one before
                    self.choose_next(box.first, key)
                    if self.is_noticed(do, PATIENCE[0]):
                        return
        if control.locator("select").count():
            for at in range(control.locator("option").count()):
                control.locator("select").select_option(index=at)
                if self.is_noticed(do, PATIENCE[1]):
                    return
        buttons = control.locator("button")
        asked_for = part.rpartition("=")[2].strip().lower()
        texts = [(one.inner_text().lower(), is_on(one)) for one in buttons.all()]
        order = sorted(range(len(texts)), key=lambda at: (texts[at][1], asked_for not in texts[at][0]))
        for patience in PATIENCE:
            for at in order:
                buttons.nth(at).click()
                still(self.page)
                is_named = part != do.when and asked_for in texts[at][0]  # one of several: the page says nothing yet
                if is_named or self.is_noticed(do, patience):
                    return
        if not order:
            control.locator("label").first.click()

    def in_picture(self, do: ExhibitTask, name: str) -> None:
        """Use a picture: with its keys, or as `IN_PICTURES` says."""
        if name in IN_PICTURES:
            IN_PICTURES[name](self.page)
            still(self.page)
            return
        main = self.page.locator('[class*="st-key-gf-exhibit-"] figure.gf')
        for spot in main.locator('[tabindex="0"], input[type=range]').all():
            if not spot.is_visible():
                continue
            spot.focus()
            for keys in (("ArrowRight", "Enter"), ("ArrowDown", "Enter"), ("ArrowUp",), (" ",)):
                for key in keys:
                    self.page.keyboard.press(key)
                still(self.page)
                if self.is_noticed(do, 0.3):
                    return


TEXTS = {
    "tokens_text": "we read the reader and read on",
    "born_text": "we read the reader and read on",
    "own_text": "Tom has a red ball. Mia was sad.",
}


def _type_a_number(page: Any) -> None:
    field = page.get_by_label("query, number 0")
    field.fill("0.3")
    field.press("Enter")


def _set_a_score(page: Any) -> None:
    page.locator('.st-sheet td[tabindex="0"]').first.focus()
    page.keyboard.type("1")
    page.keyboard.press("Enter")


def _pre_norm_alone(page: Any) -> None:
    for name in ("all as in 2017", "pre-norm"):
        page.get_by_role("button", name=name).first.click()


IN_PICTURES: dict[str, Callable[[Any], None]] = {
    "lookup_numbers": _type_a_number,
    "vectors": lambda page: page.get_by_role("button", name="Right angle").click(),
    "walk_edits": _set_a_score,
    "row": lambda page: page.get_by_role("button", name="Only the first token").click(),
    "then_on": _pre_norm_alone,
}
