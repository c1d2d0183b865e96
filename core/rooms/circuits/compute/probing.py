"""Linear probes on the residual stream, and the model's predictions when the probed directions are removed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.synthetic.story_grammar import COLORS, PEOPLE, lost_and_found_story, wind_story
from core.exhibit import MAX_TRACES, memoize
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, SHIPPED_MODELS
from core.models import pretrained, registry
from core.models.gpt import GPT
from core.nn.tap import Trace

N_LEARNED, N_HELD = 500, 150  # stories that a probe learns from, and held-out ones
CHUNK = 25  # texts in one batch; the fastest size
NAMES = tuple(one.name for one in PEOPLE)
IS_SHE = {one.name: int(one.they == "she") for one in PEOPLE}
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ProbeQuestion:
    """A property that a story determines, and that the model has to predict next."""

    plot: Callable[[Random], list[str]]  # generates a story
    before: str  # the last words that are read; the probe reads the last token
    answers: tuple[str, ...]  # the possible next words, by class
    truth: Callable[[str], int]  # a story -> the class

    def beginning(self, story: str) -> str:
        """Return the story up to the words `before`."""
        return story[: story.index(self.before) + len(self.before)]


def child_name(story: str) -> str:
    """Return the first name in the story, whom it is about."""
    return next(word for word in story_words(story) if word in NAMES)


def lost_color(story: str) -> str:
    """Return the color of the thing that was lost."""
    return next(word for word in story_words(story) if word in COLORS)


def story_words(story: str) -> list[str]:
    return re.findall(r"\w+", story)


QUESTIONS: Mapping[str, ProbeQuestion] = {
    "pronoun": ProbeQuestion(lost_and_found_story, ". Then", (" he", " she"), lambda story: IS_SHE[child_name(story)]),
    "color": ProbeQuestion(
        wind_story, "Did you see a", tuple(f" {one}" for one in COLORS), lambda story: COLORS.index(lost_color(story))
    ),
}


@dataclass(frozen=True)
class StoryBeginnings:
    """Beginnings of stories, all different."""

    ids: Int[Tensor, "B T"]  # (B, T), padded with zeros
    at: Int[Tensor, " B"]  # (B,) the last position of each
    truth: Labels  # (B,) the class
    drawn: Labels  # (B,) the random label of the child's name: the control task

    def __getitem__(self, part: slice) -> "StoryBeginnings":
        return StoryBeginnings(self.ids[part], self.at[part], self.truth[part], self.drawn[part])

    @property
    def rows(self) -> Int[Tensor, " B"]:
        return torch.arange(len(self.at))

    def parts(self) -> "list[StoryBeginnings]":
        """Return the texts in batches of the fastest size."""
        return [self[i : i + CHUNK] for i in range(0, len(self.at), CHUNK)]


def sample_beginnings(
    question: ProbeQuestion, encode: Callable[[str], Sequence[int]], seed: int
) -> tuple[StoryBeginnings, StoryBeginnings]:
    """Return training texts and held-out texts, with evenly sampled names and colors, and control labels.

    Source of the control task: Hewitt and Liang 2019 (1909.03368), section 2.
    """
    random, found = Random(seed), dict[str, None]()
    while len(found) < N_LEARNED + N_HELD:
        found[" ".join(question.plot(random))] = None
    classes = [i % len(question.answers) for i in range(len(NAMES))]
    random.shuffle(classes)
    drawn = dict(zip(NAMES, classes, strict=True))
    rows = [list(encode("\n\n" + question.beginning(story))) for story in found]
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
    at = torch.tensor([len(row) - 1 for row in rows])
    truth = np.array([question.truth(story) for story in found])
    all_ = StoryBeginnings(ids, at, truth, np.array([drawn[child_name(story)] for story in found]))
    return all_[:N_LEARNED], all_[N_LEARNED:]


Activations = NDArray[np.float32]


def stream_names(n_layer: int) -> list[str]:
    """Return the names of the residual stream before the first layer and after each layer."""
    return ["embed", *(f"blocks.{layer}.resid_out" for layer in range(n_layer))]


def last_residuals(model: GPT, given: StoryBeginnings) -> list[Activations]:
    """Return the residual stream at the last token (B, D) for each of `stream_names`."""
    found = []
    for part in given.parts():
        with torch.no_grad(), Trace(model) as trace:
            model(part.ids)
        found.append([trace[name][part.rows, part.at].numpy() for name in stream_names(model.config.n_layer)])
    return [np.concatenate(one) for one in zip(*found, strict=True)]


@dataclass(frozen=True)
class LinearProbe:
    """A logistic regression on centered numbers, divided by one common scale."""

    mean: Activations  # (D,) over the training stories
    means: Activations  # (K, D) the mean of each class
    scale: float
    regression: Any  # scikit-learn's

    def right(self, x: Activations, truth: Labels) -> float:
        """Return the accuracy."""
        return float(self.regression.score((x - self.mean) / self.scale, truth))

    @cached_property
    def basis(self) -> Float[Tensor, "K D"]:
        """An orthonormal basis of the directions that it reads: one for two classes, K - 1 for K classes."""
        _, strength, rows = np.linalg.svd(self.regression.coef_, full_matrices=False)
        return torch.tensor(rows[strength > 1e-3 * strength[0]], dtype=torch.float32)


def fit_probe(x: Activations, truth: Labels) -> LinearProbe:
    """Fit a probe to these numbers (B, D) and classes (B,).

    Source: Alain and Bengio 2016 (1610.01644).
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    mean, scale = x.mean(0), float(x.std(0).mean()) or 1.0
    means = np.stack([x[truth == one].mean(0) for one in range(truth.max() + 1)])
    return LinearProbe(mean, means, scale, LogisticRegression(solver="newton-cholesky").fit((x - mean) / scale, truth))


def remove_directions(
    x: Float[Tensor, "B D"], mean: Float[Tensor, " D"], basis: Float[Tensor, "K D"]
) -> Float[Tensor, "B D"]:
    """Project some directions out of x; along them, every row is set to the mean.

    Source: Ravfogel et al. 2020 (2004.07667), section 4; as a test of use, Elazar et al. 2020 (2006.00995).
    """
    return x - (x - mean) @ basis.T @ basis


def shift_class(
    x: Float[Tensor, "B D"], step: Float[Tensor, "B D"], basis: Float[Tensor, "K D"]
) -> Float[Tensor, "B D"]:
    """Shift x along some directions, by the step from the mean of its own class to the mean of another class."""
    return x + step @ basis.T @ basis


def random_basis(like: Float[Tensor, "K D"], seed: int) -> Float[Tensor, "K D"]:
    """Return equally many random orthonormal directions."""
    drawn = torch.randn(like.shape, generator=torch.Generator().manual_seed(seed))
    return torch.linalg.qr(drawn.T)[0].T


def predict_changed(
    model: GPT, given: StoryBeginnings, place: str, change: Callable[[Tensor, StoryBeginnings], Tensor] | None = None
) -> Labels:
    """Return the most probable next token (B,) with the residual stream at the last token changed.

    Args:
        place: the name of the stream where it is changed.
        change: (numbers (B, D), the texts) -> the new numbers; None: nothing is changed.
    """
    found = []
    for part in given.parts():

        def edit(x: Tensor, part: StoryBeginnings = part) -> Tensor:
            x = x.clone()
            if change is not None:
                x[part.rows, part.at] = change(x[part.rows, part.at], part)
            return x

        with torch.no_grad(), Trace(model, {place: edit}):
            found.append(model(part.ids)[part.rows, part.at].argmax(-1).numpy())
    return np.concatenate(found)


def untrained_model(config: object, seed: int) -> GPT:
    """Return a model of the same shape with initial weights."""
    return registry.build(config, seed).eval().requires_grad_(False)


# Changes to a vector: random directions, the probe's directions or all of it are removed, or it is moved.
CHANGES = ("nothing", "random", "probe", "all", "moved")


@dataclass(frozen=True)
class ProbeResults:
    """The accuracy of probes, and the model's predictions without the probed directions."""

    # trained, untrained: (P,) accuracy on held-out stories at each place, in the model and in an untrained model
    trained: tuple[float, ...]
    untrained: tuple[float, ...]
    drawn: tuple[float, ...]  # (P,) accuracy on the random labels, in the model
    said: NDArray[np.float64]  # (P - 1, 5) share of right words that the model predicts, by `CHANGES` after each layer
    # (P - 1,) share of stories in which it predicts the other answer after the numbers are moved there
    moved_to: tuple[float, ...]
    again: tuple[float, ...]  # (P - 1,) accuracy of a new probe after the removal
    n_direction: int  # directions that the probe reads
    example: str  # the beginning of the first held-out story; answer: the next word
    answer: str


@memoize(MAX_TRACES)
def run_probes(ask: str, seed: int) -> ProbeResults:
    """Run all probes of one question on the stories model, with everything sampled from this seed."""
    question, whole = QUESTIONS[ask], pretrained.load(SHIPPED_MODELS / DEFAULT_MODEL)
    model, tokenizer = cast(Any, whole.model.eval()), cast(Any, whole.tokenizer)
    learned, held = sample_beginnings(question, tokenizer.encode, seed)
    ids = np.array([tokenizer.encode(one)[0] for one in question.answers])
    x, y = last_residuals(model, learned), last_residuals(model, held)
    raw = untrained_model(whole.config, seed)
    probes = [fit_probe(one, learned.truth) for one in x]
    found, again = [], []
    for place, probe, old, new in list(zip(stream_names(model.config.n_layer), probes, x, y, strict=True))[1:]:
        mean, basis = torch.from_numpy(probe.mean), probe.basis
        found.append([predict_changed(model, held, place, one) for one in probe_changes(probe, seed)])
        left = [remove_directions(torch.from_numpy(one), mean, basis).numpy() for one in (old, new)]
        again.append(fit_probe(left[0], learned.truth).right(left[1], held.truth))
    right = np.array([[(one == ids[held.truth]).mean() for one in row] for row in found])
    other = ids[(held.truth + 1) % len(ids)]
    return ProbeResults(
        tuple(probe.right(one, held.truth) for probe, one in zip(probes, y, strict=True)),
        tuple(
            fit_probe(a, learned.truth).right(b, held.truth)
            for a, b in zip(last_residuals(raw, learned), last_residuals(raw, held), strict=True)
        ),
        tuple(fit_probe(a, learned.drawn).right(b, held.drawn) for a, b in zip(x, y, strict=True)),
        right,
        tuple(float((row[-1] == other).mean()) for row in found),
        tuple(again),
        len(probes[-1].basis),
        str(tokenizer.decode(held.ids[0, : int(held.at[0]) + 1].tolist())).strip(),
        question.answers[int(held.truth[0])].strip(),
    )


def probe_changes(probe: LinearProbe, seed: int) -> list[Callable[[Tensor, StoryBeginnings], Tensor] | None]:
    """Return the functions that change the probed numbers, in the order of `CHANGES`."""
    mean, means, basis = torch.from_numpy(probe.mean), torch.from_numpy(probe.means), probe.basis
    others = random_basis(basis, seed)

    def to_next(x: Tensor, given: StoryBeginnings) -> Tensor:
        return shift_class(x, means[(given.truth + 1) % len(means)] - means[given.truth], basis)

    return [
        None,
        lambda x, _: remove_directions(x, mean, others),
        lambda x, _: remove_directions(x, mean, basis),
        lambda x, _: mean.expand_as(x),
        to_next,
    ]
