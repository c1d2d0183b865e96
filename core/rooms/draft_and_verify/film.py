"""A text is written round by round: a draft guesses, the stories model keeps or refuses, and draws one token more."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.data.tokenizers import normalization
from core.exhibit import NOT_YET, Came, Guessed, NothingToShow, content_key, guess, seed, select, slider, text_input
from core.exhibit import Inputs as Base
from core.generate.cache import CachedModel
from core.generate.settings import Settings
from core.rooms.draft_and_verify.compute import drafts, rule, sampling
from core.rooms.draft_and_verify.compute.rule import UNREAD, Guess, Round
from core.rooms.draft_and_verify.rounds_widget import rounds_film
from core.train.experiments.live import Live

TRAINED = "draft"
N_NEW = 48  # tokens: with the prompt, as many as the model reads
MOST_PROMPT = 40
N_TOLD = 3  # rounds that are shown before the guess
N_TOP = 4
GUESSES = {"one": "hardly more than one", "some": "two or three", "all": "nearly all, and one more"}
CODE = (sampling.speculate, rule.verify, rule.keep_chance, rule.rest_of)


class Inputs(Base, prefix="film_"):
    """Who guesses, and how much at once."""

    guess: str = guess("How many tokens does one pass of the large model settle on average?", GUESSES)
    draft: str = select("Who drafts", dict(drafts.NAMES), "5")
    n_draft: int = slider("Guesses in a round", 1, 8, 4, depth="numbers")
    temperature: float = slider(
        "Temperature", 0.0, 2.0, 1.0, step=0.1, help="0: always the likeliest token.", depth="numbers"
    )
    seed: int = seed(depth="numbers")
    text: str = text_input(
        "The beginning",
        "Tom and Mia played near the park.",
        max_chars=200,
        depth="numbers",
        notes=lambda name, typed, _: ui.read_words(
            drafts.large().tokenizer, name, typed, "It is read letter by letter, in bytes."
        ),
    )


@dataclass(frozen=True)
class Top:
    """The likeliest tokens at a place, of model and draft together, and the one that was drafted or drawn there."""

    tokens: tuple[int, ...]
    p: tuple[float, ...]
    q: tuple[float, ...]  # nan where nothing was drafted
    source: tuple[float, ...]  # what the last token of the round was drawn from; nan elsewhere


@dataclass(frozen=True)
class ShownRound:
    """A round without its whole rows of the vocabulary."""

    guesses: tuple[Guess, ...]
    last: int
    is_corrected: bool
    share: float  # of the last token in what it was drawn from
    u: float
    tops: tuple[Top, ...]  # of each guess, and of the last token

    @property
    def n_settled(self) -> int:
        """Tokens."""
        return sum(it.outcome == rule.ACCEPTED for it in self.guesses) + 1


@dataclass(frozen=True)
class Film(Guessed):
    """All rounds of a text; what is shown of it before the guess is its beginning."""

    guesses = GUESSES
    rounds: tuple[ShownRound, ...]
    prompt: tuple[int, ...]
    expected: float  # the mean chance that a guess stays, of the places that were looked at
    guess: str

    @property
    def is_hidden(self) -> bool:
        return self.guess == NOT_YET

    @property
    def shown(self) -> tuple[ShownRound, ...]:
        return self.rounds[:N_TOLD] if self.is_hidden else self.rounds

    @property
    def n_new(self) -> int:
        """Tokens that all rounds together have settled."""
        return sum(one.n_settled for one in self.rounds)

    @property
    def per_pass(self) -> float:
        """Tokens that a pass of the large model settles, on average."""
        return self.n_new / len(self.rounds)

    @property
    def n_looked(self) -> int:
        """Guesses that were looked at: not behind a refused one."""
        return sum(it.outcome != UNREAD for one in self.rounds for it in one.guesses)

    @property
    def n_kept(self) -> int:
        """Guesses that stayed."""
        return self.n_new - len(self.rounds)

    @property
    def n_wasted(self) -> int:
        """Guesses behind a refused one."""
        return sum(len(one.guesses) for one in self.rounds) - self.n_looked

    @property
    def came(self) -> Came:
        most = max(len(one.guesses) for one in self.rounds) + 1
        answer = "one" if self.per_pass < 1.5 else "all" if self.per_pass > max(3.5, most - 1) else "some"
        return Came(answer, f"{self.per_pass:.2f}")

    def table(self) -> dict[str, list[Any]]:
        """One line for each token that was drafted or drawn, of the rounds that may be seen."""
        names = drafts.names()
        found: dict[str, list[Any]] = {
            name: [] for name in ("round", "token", "from", "p", "q", "ratio", "number drawn", "outcome")
        }
        for n, one in enumerate(self.shown, 1):
            for it in one.guesses:
                values = (n, names[it.token], "draft", it.p, it.q, it.ratio, it.u, it.outcome)
                for column, value in zip(found.values(), values, strict=True):
                    column.append(value)
            origin = "the rest" if one.is_corrected else "the model"
            last = (n, names[one.last], origin, one.tops[-1].p[0], None, one.share, one.u, "drawn")
            for column, value in zip(found.values(), last, strict=True):
                column.append(value)
        return found


def compute(inputs: Inputs, run: Live) -> Film:
    """The text in rounds, each one pass of the large model."""
    large = drafts.large()
    ids = large.tokenizer.encode(normalization.normalize(large.tokenizer, inputs.text).text)[-MOST_PROMPT:]
    if not ids:
        raise NothingToShow("Type at least one word: the models continue a text.")
    rounds = list(
        sampling.speculate(
            CachedModel(large.model),
            drafts.draft_of(inputs.draft, run),
            ids,
            N_NEW,
            n_draft=inputs.n_draft,
            settings=Settings(temperature=inputs.temperature),
            seed=inputs.seed,
        )
    )
    looked = [
        float(rule.acceptance(one.p[i], one.q[i]))
        for one in rounds
        for i, it in enumerate(one.guesses)
        if it.outcome != UNREAD
    ]
    return Film(tuple(map(_shown, rounds)), tuple(ids), float(np.mean(looked)), inputs.guess)


def _shown(one: Round) -> ShownRound:
    tops = [_top(it.token, one.p[i], one.q[i]) for i, it in enumerate(one.guesses)]
    n = one.n_accepted
    tops.append(_top(one.last, one.p[n], one.q[n] if one.is_corrected else None, one.source))
    share = float(one.source[one.last])
    return ShownRound(one.guesses, one.last, one.is_corrected, share, one.u, tuple(tops))


def _top(token: int, p: rule.Row, q: rule.Row | None, source: rule.Row | None = None) -> Top:
    likeliest = np.argsort(-(p if q is None else np.maximum(p, q)), kind="stable")[:N_TOP].tolist()
    ids = [token, *(one for one in likeliest if one != token)][:N_TOP]

    def of(row: rule.Row | None) -> tuple[float, ...]:
        return tuple(np.nan if row is None else float(row[i]) for i in ids)

    return Top(tuple(ids), of(p), of(q), of(source))


def draw(result: Film, inputs: Inputs, run: Live) -> None:
    """The rounds, and what came of them."""
    names = drafts.names()
    rounds_film(
        result.shown,
        prompt=drafts.large().tokenizer.decode(result.prompt),
        names=names,
        is_cut=result.is_hidden,
        key=f"rounds-{content_key(run.digest, repr(inputs))[:12]}",
        label=ui.words("drafting", who=drafts.SHORT[inputs.draft]),
    )
    if result.is_hidden:
        ui.say("guess", n=N_TOLD)
        return
    ui.say("per-pass")
    ui.say("told")
    ui.say("chance")
