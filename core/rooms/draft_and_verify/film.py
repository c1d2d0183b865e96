"""A text is generated round by round: a draft guesses, the stories model accepts or rejects, and adds a token."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.tokenizers import known_word_normalization
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    NothingToShow,
    Result,
    Table,
    content_key,
    guess_control,
    seed,
    select,
    slider,
    text_input,
)
from core.generate.cache import CachedModel
from core.generate.filter_settings import FilterSettings
from core.rooms.draft_and_verify.compute import drafts, rule, sampling
from core.rooms.draft_and_verify.compute.rule import UNREAD, DraftGuess, DraftRound
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.widgets.mount import to_nested_lists

LABELS = module_labels(__name__)

TRAINED = "draft"
N_NEW = 48  # tokens; together with the prompt they fill the model's context
MAX_PROMPT = 40
N_ROWS = 3  # rounds that are seen at a time
N_TOP = 4
OUTCOMES = {
    rule.ACCEPTED: LABELS["outcome.accepted"],
    rule.REFUSED: LABELS["outcome.refused"],
    rule.UNREAD: LABELS["outcome.unread"],
}
CODE = (sampling.speculative_rounds, rule.verify_draft, rule.acceptance_probability, rule.residual_distribution)


class Inputs(Base, prefix="film_"):
    guess: str = guess_control(
        ("one", "some", "all"),
    )
    draft: str = select(dict(drafts.NAMES), "5")
    n_draft: int = slider(1, 8, 4, depth="numbers")
    temperature: float = slider(0.0, 2.0, 1.0, step=0.1, depth="numbers")
    seed: int = seed(depth="numbers")
    text: str = text_input(
        "Tom and Mia played near the park.",
        max_chars=200,
        depth="numbers",
        notes=lambda name, typed, _: ui.recase_text_and_warn_unknown(
            drafts.large_model().text_tokenizer, name, typed, LABELS["text.unknown"]
        ),
    )


class TopTokens(NamedTuple):
    """The most probable tokens at a position, of model and draft together, and the drafted or sampled token."""

    tokens: tuple[int, ...]
    p: tuple[float, ...]
    q: tuple[float, ...]  # nan if nothing was drafted
    source: tuple[float, ...]  # the distribution that sampled the round's last token; nan elsewhere


class ShownRound(NamedTuple):
    """A round without the full rows of the vocabulary."""

    guesses: tuple[DraftGuess, ...]
    last: int
    is_corrected: bool
    share: float  # probability of the last token in the distribution that sampled it
    u: float
    tops: tuple[TopTokens, ...]  # for each guess, and for the last token

    @property
    def n_settled(self) -> int:
        """The number of tokens that the round adds."""
        return sum(it.outcome == rule.ACCEPTED for it in self.guesses) + 1


class DraftFilm(Result):
    """All rounds of a text; before the user's guess only the first are shown."""

    is_hidden: bool
    rounds: tuple[ShownRound, ...]
    prompt: tuple[int, ...]
    expected: float  # the mean acceptance probability of the verified guesses
    n_new: int  # tokens added by all rounds together
    per_pass: float  # mean number of tokens per pass of the large model
    n_looked: int  # guesses that were verified: none was rejected before them
    n_kept: int  # guesses that were accepted
    n_wasted: int  # guesses after a rejected one
    n_told: int  # rounds at which the film opens; before the user's guess only these are shown
    outcome: GuessOutcome

    @property
    def shown(self) -> tuple[ShownRound, ...]:
        """The rounds that may be shown."""
        return self.rounds[: self.n_told] if self.is_hidden else self.rounds

    def table(self) -> Table:
        """Return one row for each token that was drafted or sampled, of the rounds that may be shown."""
        names, lines = drafts.token_names(), list[tuple[Any, ...]]()
        for n, one in enumerate(self.shown, 1):
            lines += [
                (n, names[it.token], LABELS["from.draft"], it.p, it.q, it.ratio, it.u, OUTCOMES[it.outcome])
                for it in one.guesses
            ]
            origin = LABELS["from.rest"] if one.is_corrected else LABELS["from.model"]
            lines.append((n, names[one.last], origin, one.tops[-1].p[0], None, one.share, one.u, LABELS["drawn"]))
        columns = (
            LABELS["round"],
            LABELS["token"],
            LABELS["from"],
            "p",
            "q",
            LABELS["ratio"],
            LABELS["drawn_number"],
            LABELS["outcome"],
        )
        return {name: [line[i] for line in lines] for i, name in enumerate(columns)}


def compute(inputs: Inputs, run: ExperimentRun) -> DraftFilm:
    """Generate the text in rounds, each with one pass of the large model."""
    large = drafts.large_model()
    ids = large.text_tokenizer.encode(
        known_word_normalization.recase_words_to_vocabulary(large.text_tokenizer, inputs.text).text
    )[-MAX_PROMPT:]
    if not ids:
        raise NothingToShow(LABELS["no_text"])
    rounds = list(
        sampling.speculative_rounds(
            CachedModel(large.model),
            drafts.load_draft(inputs.draft, run),
            ids,
            N_NEW,
            n_draft=inputs.n_draft,
            settings=FilterSettings(temperature=inputs.temperature),
            seed=inputs.seed,
        )
    )
    looked = [
        float(rule.acceptance_rate(one.p[i], one.q[i]))
        for one in rounds
        for i, it in enumerate(one.guesses)
        if it.outcome != UNREAD
    ]
    shown = tuple(map(_shown, rounds))
    n_new, n_guess, most = sum(one.n_settled for one in shown), sum(len(one.guesses) for one in shown), inputs.n_draft
    per_pass = n_new / len(shown)
    answer = "one" if per_pass < 1.5 else "all" if per_pass > max(3.5, most) else "some"
    return DraftFilm(
        is_hidden=inputs.guess == NOT_YET,
        rounds=shown,
        prompt=tuple(ids),
        expected=float(np.mean(looked)),
        n_new=n_new,
        per_pass=per_pass,
        n_looked=len(looked),
        n_kept=n_new - len(shown),
        n_wasted=n_guess - len(looked),
        n_told=_opening(shown),
        outcome=GuessOutcome(answer, f"{per_pass:.2f}"),
    )


def _opening(rounds: Sequence[ShownRound]) -> int:
    """The number of rounds up to the first one, of those with two before it, that keeps a guess and refuses one."""
    numbers = range(N_ROWS, len(rounds) + 1)
    return next((n for n in numbers if {rule.ACCEPTED, rule.REFUSED} <= _outcomes(rounds[n - 1])), N_ROWS)


def _outcomes(one: ShownRound) -> set[str]:
    return {guess.outcome for guess in one.guesses}


def _shown(one: DraftRound) -> ShownRound:
    tops = [_top(it.token, one.p[i], one.q[i]) for i, it in enumerate(one.guesses)]
    n = one.n_accepted
    tops.append(_top(one.last, one.p[n], one.q[n] if one.is_corrected else None, one.source))
    share = float(one.source[one.last])
    return ShownRound(one.guesses, one.last, one.is_corrected, share, one.u, tuple(tops))


def _top(
    token: int,
    p: rule.TokenDistribution,
    q: rule.TokenDistribution | None,
    source: rule.TokenDistribution | None = None,
) -> TopTokens:
    likeliest = np.argsort(-(p if q is None else np.maximum(p, q)), kind="stable")[:N_TOP].tolist()
    ids = [token, *(one for one in likeliest if one != token)][:N_TOP]

    def of(row: rule.TokenDistribution | None) -> tuple[float, ...]:
        return tuple(np.nan if row is None else float(row[i]) for i in ids)

    return TopTokens(tuple(ids), of(p), of(q), of(source))


def draw(result: DraftFilm, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw three rounds at a time, which can be played, and the passes that the text takes with and without a draft."""
    rounds = result.shown
    ui.mount_widget(
        "rounds",
        film=content_key(run.digest, repr(result.rounds))[:12],
        rounds=[_message(one, drafts.token_names()) for one in rounds],
        opening=2 * result.n_told - 1,  # each round has two moments: guessed, then verified
        prompt=drafts.large_model().text_tokenizer.decode(result.prompt),
        n_draft=inputs.n_draft,
        about=drafts.EXPLANATIONS[inputs.draft],
        n_new=result.n_new,
        mean=None if result.is_hidden else result.per_pass,
        takeaway=LABELS("takeaway", n_pass=len(rounds), n=sum(one.n_settled for one in rounds)),
        key="rounds",
        height=500,
    )


def _message(one: ShownRound, names: Sequence[str]) -> dict[str, object]:
    """Return a round as data for the browser."""
    return {
        "guesses": [[names[g.token], *to_nested_lists([g.p, g.q, g.ratio]), g.u, g.outcome] for g in one.guesses],
        "last": names[one.last],
        "corrected": one.is_corrected,
        "share": one.share,
        "u": one.u,
        "tops": [
            {
                "names": [names[i] for i in top.tokens],
                "p": to_nested_lists(top.p),
                "q": to_nested_lists(top.q),
                "s": to_nested_lists(top.source),
            }
            for top in one.tops
        ],
    }
