"""Both directions or one: an encoder and a decoder before the same gap."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.synthetic import gap_stories
from core.exhibit import Inputs as Base
from core.exhibit import Look, Result, memoize, segmented, slider, text_input, toggle
from core.inspect.gaps import fill
from core.nn.masks import causal as causal_mask
from core.rooms.encoder.compute import directions
from core.rooms.encoder.compute.directions import WHO, Measured
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.experiments.masked import Pair
from core.rooms.encoder.inputs import MAX_MODELS, STORY, last, pair, read, tell_story
from core.train.experiments.live import Live

TRAINED = "masked"
HIDING = "Mia hid under the tree. Tom looked in the box. No Mia!"
KINDS = {"place": "hid [under] the tree", "article": "wanted [an] apple", "animal": "A small [dog] lived"}
CODE = (directions.encoder_says, directions.decoder_says, directions.decoder_tries, directions.blinders, causal_mask)


class Inputs(Base, prefix="dir_"):
    text: str = text_input(STORY, HIDING, max_chars=400, notes=tell_story)
    gap: int = slider("Gap at position", 1, last, 3, heading="")  # "under"
    head: str = segmented(
        "Layer and head", [f"{layer}.{head}" for layer in range(2) for head in range(2)], "1.1", look=Look()
    )
    causal: bool = toggle("Give the encoder a causal mask")


class Sides(Result):
    """The answers of both models to one gap, and to many."""

    models: Pair  # both
    ids: tuple[int, ...]  # (T,) of the text
    gap: int  # its place
    encoder: NDArray[np.float32]  # encoder, decoder: (L, H, T, T) their attention
    decoder: NDArray[np.float32]
    # who -> (V,) what stands in the gap: each of `WHO`, and the decoder that tries all words
    answers: Mapping[str, NDArray[np.floating[Any]]]
    many: Mapping[str, Measured]  # all gaps of each kind in the held-out stories

    tokens: list[str]  # (T,)
    hidden: list[int]  # (T,) the ids that the encoder reads
    from_the_right: float  # the weight that the gap's row gives to later positions, mean of the encoder's heads

    def top(self, who: str, n: int = 3) -> list[tuple[str, float]]:
        """The most probable words with their probabilities."""
        chances = self.answers[who]
        order = np.argsort(-chances[: self.models.words.n_plain], kind="stable")[:n]
        return [(word, float(p)) for word, p in zip(self.models.words.labels(order), chances[order], strict=True)]

    def of_truth(self, who: str) -> float:
        """The probability of the word that was there."""
        chances, truth = self.answers[who], self.ids[self.gap]
        return float(chances[truth]) if truth < len(chances) else 0.0

    def table(self) -> dict[str, list[Any]]:
        """One line for each kind of gap and each of `WHO`."""
        return {
            "gap": [name for name in self.many for _ in WHO],
            "who": [who for _ in self.many for who in WHO],
            "probability of the true word": [p for one in self.many.values() for p in one.chances],
            "right": [p for one in self.many.values() for p in one.right],
        }


@memoize(MAX_MODELS)
def measured(run: Live) -> dict[str, Measured]:
    """Gaps that only a later word can tell, in stories that neither model was trained on."""
    models = pair(run)
    return directions.measure(models.bert, models.twin, models.words, gap_stories.texts()[1], task.LENGTH)


def compute(inputs: Inputs, run: Live) -> Sides:
    """One gap, asked of the encoder, of the encoder with its right side hidden, and of the decoder."""
    models, ids, gap = pair(run), read(inputs.text), inputs.gap
    bert, twin, mask_id = models.bert, models.twin, models.words.mask_id
    asked = directions.one_gap(ids, gap)
    answers = {
        WHO[0]: fill(bert, ids, [gap], mask_id)[gap],
        WHO[1]: directions.encoder_says(bert, asked, mask_id, is_causal=True)[0],
        WHO[2]: directions.decoder_says(twin, asked)[0],
        "decoder, every word tried": directions.decoder_tries(twin, ids, gap, models.words.n_plain),
    }
    encoder, decoder = directions.maps(bert, twin, ids, gap, mask_id, inputs.causal)
    return Sides(
        models=models,
        ids=ids,
        gap=gap,
        encoder=encoder,
        decoder=decoder,
        answers=answers,
        many=measured(run),
        tokens=models.words.labels(ids),
        hidden=[*ids[:gap], mask_id, *ids[gap + 1 :]],
        from_the_right=float(encoder[:, :, gap, gap + 1 :].sum(-1).mean()),
    )


def draw(result: Sides, inputs: Inputs, run: Live) -> None:
    """One gap, both maps, both answers; then many gaps of the held-out stories."""
    models, gap, triangle = result.models, result.gap, causal_mask(len(result.ids)).numpy()
    left, right = ui.pair("dir-maps")
    mask = triangle if inputs.causal else None
    for place, who, model, ids, weights, row, seen in (
        (left, "encoder", models.bert, result.hidden, result.encoder, gap, mask),
        (right, "decoder", models.twin, list(result.ids), result.decoder, gap - 1, triangle),
    ):
        tokens, at = models.words.labels(ids), ui.each(_place_of, inputs.head)
        most = ui.over(lambda at, weights=weights, row=row: int(weights[*at, row].argmax()), at)
        takeaway = ui.over(lambda one, who=who, tokens=tokens: ui.words(f"{who}-takeaway", most=tokens[one]), most)
        blinded: Any = {"mask": mask} if who == "encoder" else {}
        badge = ui.over(partial(_badge, run, model, who, weights, {"ids": ids, **blinded}), at)
        how: Any = {"label": ui.words(who), "takeaway": takeaway, "height": 300}
        how |= {"rows": tokens, "columns": tokens, "mask": seen, "selected": (row, most), "badge": badge}
        with place:
            ui.matrix(ui.stacked(ui.over(weights.__getitem__, at)), key=f"dir-{who}", **how)
    if ui.at_least("numbers"):
        _many(result)


def _place_of(head: str) -> tuple[int, int]:
    """(layer, head) of a name."""
    layer, number = map(int, head.split("."))
    return layer, number


def _badge(
    run: Live, model: Any, who: str, weights: NDArray[np.float32], read: Mapping[str, Any], at: tuple[int, int]
) -> "ui.Badge":
    """Where the numbers of a head are from; read: what the model is given."""
    layer, head = at
    name, whose = f"blocks.{layer}.attn.weights", f"the {who} trained in this room"
    return ui.badges.of_live(run, model, name, (head, "row", "column"), weights[layer], whose, **read)


def _many(result: Sides) -> None:
    """All gaps of some kinds in the held-out stories."""
    many = [result.many[name] for name in KINDS]
    ui.grouped_bars(
        {who: [one.chances[i] for one in many] for i, who in enumerate(WHO)},
        labels=list(KINDS.values()),
        x="probability of the true word",
        strokes=[one.from_the_left for one in many],
        stroke="the best from the left side",
    )
