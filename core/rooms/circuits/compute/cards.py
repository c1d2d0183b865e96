"""Feature cards: where a feature fires, which tokens it promotes, and the model's text when it is clamped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import MAX_TRACES, memoize
from core.generate.decode import generate
from core.models import pretrained
from core.nn.tap import Trace
from core.rooms.circuits.compute import naming
from core.rooms.circuits.compute.dictionary import TAP_KEY, read_activations, story_windows
from core.rooms.circuits.experiments import features as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_NAMED, N_NAMELESS = 20, 4  # features shown: the best named, and the most active of the rest
N_STRONG, N_MIDDLING = 3, 2  # positions per feature: where it is strongest, and at the median
BEFORE, AROUND = 6, 9  # tokens shown before such a position, and in total
N_TOKEN = 6  # next tokens shown
N_NEW = 20
CLAMP_MODES = {
    "plain": LABELS["clamp.plain"],
    "off": LABELS["clamp.off"],
    "once": LABELS["clamp.once"],
    "always": LABELS["clamp.always"],
}
PUSH_FACTOR = 2.0  # multiple of its maximum, at the last token of the beginning
LINE_END = "¶"


@dataclass(frozen=True)
class Card:
    """One feature."""

    number: int  # index of the feature
    name: str  # name, precision, recall: its name and how well it fits; "" if no name fits
    precision: float
    recall: float
    nearest: str  # the best name, even if it doesn't fit
    share: float  # the share of all tokens on which it fires
    # tokens, values: pieces of text where it fires, line by line, and its activation relative to its maximum
    tokens: tuple[str, ...]
    values: tuple[float, ...]
    likely: tuple[str, ...]  # the most probable tokens at its strongest position, with or without it
    probabilities: NDArray[np.float64]  # (2, N) their probabilities with the feature, and with it off
    moved: float  # the total variation distance there when it is switched off
    pushed: tuple[str, ...]  # the tokens whose logits its direct path raises most


@dataclass(frozen=True)
class NamingText:
    """The text by which features are named, with the model's activations on it."""

    model: Any
    tokenizer: Tokenizer
    ids: Tensor  # (N, T)
    kinds: naming.PositionKinds
    acts: Tensor  # (N, T, F)


@memoize(1)
def naming_text() -> NamingText:
    """Return the text and its activations, which are the same for all runs."""
    found = pretrained.load(task.MODEL)
    ids, targets = story_windows(found.text_tokenizer, task.N_MEASURE, task.LENGTH)
    kinds = naming.find_kinds(found.vocabulary, ids, targets)
    return NamingText(found.model, found.text_tokenizer, ids, kinds, read_activations(found.model, ids))


def select_features(found: naming.UnitNames, fired: Float[Tensor, "N M"]) -> list[int]:
    """Return the features to show, the best named first, followed by some without a name."""
    precision, recall = found.precision.astype(float), found.recall.astype(float)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    by_name = [int(i) for i in np.argsort(-f1, kind="stable") if found.fits[i]][:N_NAMED]
    by_use = np.argsort(-(fired > 0).float().mean(0).numpy(), kind="stable")
    rest = [int(i) for i in by_use if not found.fits[i]]
    return [*by_name, *rest[: N_NAMED + N_NAMELESS - len(by_name)]]


@memoize(MAX_TRACES)
def feature_cards(run: ExperimentRun) -> tuple[Card, ...]:
    """Return the cards of a finished run: named features first, sorted by their effect on the next token."""
    text, made, scale = naming_text(), task.recorded_autoencoder(run.record), float(run.record["scale"])
    fired = made.encode(text.acts / scale)  # (N, T, M)
    found = task.recorded_names(run.record, "found")
    numbers = select_features(found, fired.flatten(0, 1))
    all_shown = [_card(i, text, made, scale, fired[..., i], found) for i in numbers]
    return tuple(sorted(all_shown, key=lambda card: (not card.name, -card.moved)))


def _card(
    i: int, text: NamingText, made: Any, scale: float, fired: Float[Tensor, "N T"], found: naming.UnitNames
) -> Card:
    places = _places(fired, text.ids)
    highest = max(float(fired.max()), 1e-9)
    tokens, values = _pieces(places, fired / highest, text)
    row, t = places[0]
    ids, drop = text.ids[row : row + 1, : t + 1], scale * fired[row, : t + 1, None] * made.directions[i]
    on, off = (
        _expected(text.model, ids, change) for change in (torch.zeros_like(drop), -drop)
    )  # the feature's contribution is subtracted
    likely = [int(k) for k in np.argsort(-np.maximum(on, off), kind="stable")[:N_TOKEN]]
    pushes = direct_effect(text.model, made.directions[i])
    pushes[~torch.isin(torch.arange(len(pushes)), text.ids)] = -torch.inf  # a token that occurs in no story
    name = text.kinds.names[found.kind[i]]
    names = text.tokenizer.tokens(range(len(on)))
    return Card(
        i,
        name if found.fits[i] else "",
        float(found.precision[i]),
        float(found.recall[i]),
        name,
        float((fired > 0).float().mean()),
        tokens,
        values,
        tuple(names[k] for k in likely),
        np.stack([on[likely], off[likely]]),
        float(np.abs(on - off).sum() / 2),
        tuple(names[int(k)].strip() or LINE_END for k in pushes.argsort(descending=True)[:3]),
    )


def direct_effect(model: Any, direction: Float[Tensor, " F"]) -> Float[Tensor, " V"]:
    """Return the contribution of a direction to each logit on its direct path, through no other layer.

    The scale of the last norm is left out.
    """
    written = model.blocks[-1].mlp.w_out.weight @ direction  # (D,)
    written = (written - written.mean()) * model.norm.weight
    effect = model.unembed.weight @ written
    return effect - effect.mean()


def _places(fired: Float[Tensor, "N T"], ids: Tensor) -> list[tuple[int, int]]:
    """Return the positions where a feature is strongest and where it is at the median, at most one per window."""
    order = [int(p) for p in fired.flatten().argsort(descending=True)[: max(int((fired > 0).sum()), 1)]]
    found: list[tuple[int, int]] = []
    for start, n in ((0, N_STRONG), (len(order) // 2, N_STRONG + N_MIDDLING)):
        for place in order[start:]:
            row, t = divmod(place, ids.shape[1])
            if len(found) < n and row not in [one for one, _ in found]:
                found.append((row, t))
    while len(found) < N_STRONG + N_MIDDLING:  # it fires very rarely
        found.append(found[0])
    return found


def _pieces(
    places: Sequence[tuple[int, int]], share: Float[Tensor, "N T"], text: NamingText
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    tokens: list[str] = []
    values: list[float] = []
    for row, t in places:
        start = min(max(t - BEFORE, 0), text.ids.shape[1] - AROUND)
        own = text.tokenizer.tokens(text.ids[row, start : start + AROUND].tolist())
        tokens += [*(token if token != "\n" else LINE_END for token in own), "\n"]
        values += [*share[row, start : start + AROUND].tolist(), 0.0]
    return tuple(tokens[:-1]), tuple(values[:-1])


def _expected(model: nn.Module, ids: Tensor, change: Float[Tensor, "T F"]) -> NDArray[np.float64]:
    with torch.no_grad(), Trace(model, {TAP_KEY: lambda x: x + change}, keep=(TAP_KEY,)):
        return model(ids)[0, -1].double().softmax(-1).numpy()


@memoize(MAX_TRACES)
def clamped_texts(run: ExperimentRun, beginning: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each feature shown, the model's text in each of the `CLAMP_MODES`: plain, off, pushed once or always.

    Decoding is greedy. All texts are generated in one batch, each with its own edit.
    """
    text, made, scale = naming_text(), task.recorded_autoencoder(run.record), float(run.record["scale"])
    numbers = [card.number for card in feature_cards(run)]
    highest = made.encode(text.acts / scale).flatten(0, 1).amax(0)[numbers]  # (S,)
    ids = text.tokenizer.encode("\n\n" + beginning)
    n, own = len(numbers), torch.tensor(numbers).repeat(3)  # off, once, always
    held = torch.cat([0 * highest, PUSH_FACTOR * highest, highest])[:, None]  # (3 S, 1)

    def hold(x: Float[Tensor, "B T F"]) -> Float[Tensor, "B T F"]:
        fired = made.encode(x[1:] / scale)  # (3 S, T, M)
        now = fired.gather(-1, own[:, None, None].expand(-1, x.shape[1], 1))[..., 0]  # (3 S, T)
        change = scale * (held - now)[..., None] * made.directions[own][:, None]
        change[n : 2 * n, torch.arange(x.shape[1]) != len(ids) - 1] = 0
        return torch.cat([x[:1], x[1:] + change])

    with Trace(text.model, {TAP_KEY: hold}, keep=(TAP_KEY,)):
        steps = generate(text.model, [ids] * (1 + 3 * n), N_NEW, greedy=True)
        new = torch.stack([step.token for step in steps], 1).tolist()
    plain, *rest = [text.tokenizer.decode(one).split("\n\n")[0].replace("\n", " ") for one in new]
    return tuple((plain, *rest[i::n]) for i in range(n))
