"""Who reads whom: the attention of the three families on the same question, in one layout."""

from core import ui
from core.inputs import Inputs as Base
from core.inputs import NothingToShow, select, text_input
from core.rooms.families.compute import family_attention as attention
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_attention import Readings
from core.rooms.families.inputs import DEFAULT, LABEL, QUESTIONS, notes, three_of, walk_of
from core.train.experiments.live import Live

TRAINED = "families"
# A number is a head of the last layer: the decoder and the encoder have two layers, the others one.
HEADS = {
    "best": "★ reads right",
    "mean": "mean of all",
    **{str(i): f"last layer, head {i}" for i in range(4)},
}
CODE = (attention.decoder_reading, attention.encoder_reading, attention.encoder_decoder_readings)


class Inputs(Base, prefix="reads_"):
    walk: str = text_input(LABEL, DEFAULT, notes=notes)
    task: str = select("Question", QUESTIONS, "translate")
    head: str = select("Layer and head", HEADS, "best")


def compute(inputs: Inputs, run: Live) -> Readings:
    """All attention of the three on one question."""
    walk = walk_of(inputs.walk)
    if not walk.things:
        raise NothingToShow("Write at least one of these things.")
    return attention.readings(three_of(run), walk, inputs.task)


def draw(result: Readings, inputs: Inputs, run: Live) -> None:
    if inputs.task == "classify" and inputs.head == "best":
        ui.say("no-place")
    for names in (("decoder", "encoder"), ("cross", "source"), ("target",)):
        for place, name in zip(ui.pair(f"reads-{names[0]}"), names, strict=False):
            with place:
                _map(result, name, inputs, run)


def _map(result: Readings, name: str, inputs: Inputs, run: Live) -> None:
    one, head, badge = result.maps[name], "mean of all heads", None
    has_truth = bool(one.truth.any())
    if inputs.head == "mean":  # which is no tensor of a model, so it has no badge
        weights, share = one.weights.mean((0, 1)), one.scores.mean()
    else:
        layer, number = one.place_of(inputs.head)
        weights, share = one.weights[layer, number], one.scores[layer, number]
        head = f"{'★ ' if inputs.head == 'best' and has_truth else ''}head {layer}.{number}"
        badge = _badge(result, name, inputs.task, run, layer, number)
    title, rings = ui.words(name), ui.words("rings", share=share) if has_truth else ""
    ui.matrix(
        weights,
        rows=one.rows,
        columns=one.columns,
        key=f"reads-{name}-{inputs.task}-{inputs.head}-{len(one.rows)}-{len(one.columns)}",
        mask=one.mask,
        truth=one.truth if has_truth else None,
        truth_title="what the answer comes from",
        label=f"{title} ({head})",
        takeaway=f"{title}, {head}: {int(one.mask.sum())} of {one.mask.size} cells may be read. {rings}".strip(),
        height=330,
        badge=badge,
    )
    if rings:
        ui.st.caption(rings)


def _badge(result: Readings, name: str, task: str, run: Live, layer: int, number: int) -> "ui.Badge":
    three, one = three_of(run), result.maps[name]
    whole = one.weights[layer]
    if name in ("decoder", "encoder"):
        model = three.decoder.model if name == "decoder" else three.encoder.models[task]
        tensor, title = f"blocks.{layer}.attn.weights", f"the {name} trained in this room"
        return ui.badges.of_live(
            run, model, tensor, (number, "row", "column"), whole, title, ids=walks.encode(one.rows)
        )
    part = {"source": "encoder.blocks.{}.attn", "target": "decoder.blocks.{}.attn"}.get(
        name, "decoder.blocks.{}.cross_attn"
    )
    texts = {
        "source": walks.encode(result.maps["source"].rows),
        "target_in": walks.encode(result.maps["target"].rows),
    }
    tensor, title = f"{part.format(layer)}.weights", "the encoder-decoder trained in this room"
    return ui.badges.of_live(run, three.encoder_decoder.model, tensor, (number, "row", "column"), whole, title, **texts)
