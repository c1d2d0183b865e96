"""The leak test: change one token, and see whose logits notice; with the mask, and without it."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.inputs import slider, text_input
from core.inspect.reading.model_and_text import vocabulary
from core.models.gpt import GPT
from core.rooms.decoder.compute import leak_test
from core.rooms.decoder.compute.leak_test import Leak
from core.rooms.decoder.inputs import Looked

CODE = (leak_test.changes, leak_test.with_mask, GPT.mask)
MASKED, UNMASKED = True, False


class Inputs(Looked, prefix="leak_"):
    place: int = slider(
        "Token that is changed",
        0,
        lambda i: i.given.n_token - 1,
        lambda i: (i.given.n_token - 1) // 2,
        before="core.rooms.decoder.leak:follow_clicks",
    )
    into: str = text_input("Put in its place", lambda i: i.given.tokens[0].strip(), max_chars=40, read_by="given")


@dataclass(frozen=True)
class LeakTest:
    """Who notices, with the mask and without.

    Attributes:
        leaks: masked -> the test.
        place: the token that is looked at.
        put_in: what takes its place, as it can be read.
    """

    leaks: dict[bool, Leak]
    place: int
    put_in: str

    def here(self, masked: bool) -> float:
        """The largest change at a position before the token."""
        return float(self.leaks[masked].changes[self.place, : self.place].max(initial=0.0))

    def n_noticed(self, masked: bool) -> int:
        return int((self.leaks[masked].changes[self.place, : self.place] > 0).sum())

    @property
    def formula(self) -> str:
        change = rf"\max_{{s < {self.place}}} \Delta_{{{self.place} s}} = {exact(self.here(MASKED))}"
        return rf"{change}\ \text{{with}},\quad {self.here(UNMASKED):.3f}\ \text{{without}}"

    def table(self) -> dict[str, list[Any]]:
        n = len(self.leaks[MASKED].changes)
        return {
            "changed token": [t for t in range(n) for _ in range(n)],
            "position": list(range(n)) * n,
            "change with the mask": self.leaks[MASKED].changes.ravel().tolist(),
            "change without": self.leaks[UNMASKED].changes.ravel().tolist(),
        }


def follow_clicks(control: Any, above: Any) -> None:
    """A click in a matrix chooses the token that is changed."""
    for name in ("masked", "unmasked"):
        pick = ui.picks.news(f"leak.{name}", Looked(given=above.given).content)
        if pick is not None:
            ui.put(control.name, pick["row"])


def exact(value: float) -> str:
    """0.0 is said only where it is so."""
    return "0.0" if value == 0 else f"{value:.3g}" if value >= 1e-3 else ui.power_of_ten(value, 2)


def compute(inputs: Inputs) -> LeakTest:
    """Each token in turn becomes another one: whose logits change, with the causal mask and without?"""
    given, typed = inputs.given, inputs.given.other(inputs.into)
    # The first token of what was typed, a lone space left out.
    first = next((i for i, token in zip(typed.ids, typed.tokens, strict=True) if token.strip()), given.ids[0])
    leaks = {masked: leak_test.leak(given, first, masked) for masked in (MASKED, UNMASKED)}
    put_in = first if first != given.ids[inputs.place] else (first + 1) % given.config.vocab_size
    return LeakTest(leaks, inputs.place, vocabulary(given.key)[put_in])


def draw(result: LeakTest, inputs: Inputs) -> None:
    tokens, place = inputs.given.tokens, inputs.place
    what = "logits" if ui.at_least("numbers") else "prediction"
    high = float(max(one.changes.max() for one in result.leaks.values())) or 1.0
    for side, (masked, one) in zip(ui.pair("leak-maps"), result.leaks.items(), strict=True):
        with side:
            ui.matrix(
                one.changes,
                rows=tokens,
                columns=tokens,
                key=ui.picks.key(f"leak.{'masked' if masked else 'unmasked'}", inputs.content, {"row": place}),
                kind="value",
                limits=(0.0, high),
                row_title="changed (token that is changed)",
                column_title=f"position (whose {what})",
                value_title=f"change of the {what}",
                selected=(place, place),
                height=380,
                label="With the causal mask" if masked else "The same weights without the mask",
                takeaway=f"Largest change before a changed token: {exact(one.before)}.",
            )
            here, leaked = exact(result.here(masked)), exact(one.before)
            ui.say("side", word=tokens[place].strip(), here=here, leaked=leaked, loss=one.loss)
    ui.say("noticed", word=tokens[place].strip(), put_in=result.put_in.strip())
    ui.say("why")
