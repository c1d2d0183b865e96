"""Rotary positions: queries and keys are rotated by their positions, so their score depends only on the distance."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control, select, selection_in_picture, slider
from core.inspect import position_properties
from core.inspect.position_properties import FloatArray
from core.nn.positions import rotate
from core.rooms.positions.inputs import PlaceMap, format_places, format_small, parse_places, round_to_even

LABELS = module_labels(__name__)

N_POSITION = 32
DEFAULT_PLACES: PlaceMap = {"query": 9, "key": 4}
CODE = (rotate, position_properties.rotary_scores)
WARM_UP = True


def parse_rotary_places(given: object, n_position: int = N_POSITION) -> PlaceMap | None:
    """Return the places of query and key from a browser or a link, or None if they are out of range."""
    return parse_places(given, query=n_position, key=n_position)


def _check(text: str, _: object) -> None:
    if parse_rotary_places(text) is None:
        raise ValueError(LABELS["no_such_place"])


class Inputs(Base, prefix="rotary_"):
    width: int = slider(2, 16, 8, step=2)
    base: int = select({base: f"{base:,}" for base in (100, 10_000, 500_000)}, 10_000)
    layout: str = segmented_control(("halves", "neighbors"), "halves")
    seed: int = seed()
    at: str = selection_in_picture(
        "rotary", "9.4", text=lambda sent, _: format_places(parse_rotary_places(sent)), check=_check, name="rotary"
    )


class RotaryScores(Result):
    """A query and a key at every position."""

    q: FloatArray  # q, k: (K,) before rotation
    k: FloatArray
    scores: FloatArray  # (T, T) for the query at every position and the key at every position
    at: PlaceMap
    spread: float  # largest difference of two scores at the same distance
    formula: str  # the score, and the score with both moved one step on, or back if there is no room

    def table(self) -> Table:
        """Return one row per distance."""
        distances = range(1 - len(self.scores), len(self.scores))
        return {
            LABELS["table.distance_key_minus_query"]: distances,
            LABELS["table.score"]: position_properties.scores_by_distance(self.scores),
        }


def compute(inputs: Inputs) -> RotaryScores:
    """Score the query at every place with the key at every place; only their distance matters."""
    q, k = position_properties.random_query_and_key(round_to_even(inputs.width), inputs.seed)
    scores = position_properties.rotary_scores(q, k, N_POSITION, float(inputs.base), inputs.layout == "neighbors")
    at = parse_rotary_places(inputs.at) or DEFAULT_PLACES
    m, n = at["query"], at["key"]
    step, name = 1 if max(m, n) < N_POSITION - 1 else -min(m, n, 1), LABELS["score"]
    formula = (
        rf"\begin{{aligned}} \mathrm{{{name}}}({m}, {n}) &= {scores[m, n]:.4f} \\[1ex]"
        rf"\mathrm{{{name}}}({m + step}, {n + step}) &= {scores[m + step, n + step]:.4f} \end{{aligned}}"
    )
    spread = float(position_properties.range_by_distance(scores).max())
    return RotaryScores(q=q, k=k, scores=scores, at=at, spread=spread, formula=formula)


def draw(result: RotaryScores, inputs: Inputs) -> None:
    """Draw the dials, which turn in the browser, and the scores for all places."""
    ui.add_template_values(tiny=format_small)
    ui.mount_widget(
        "rotary",
        key=ui.picks.picture_widget_key("rotary", ""),
        state=("pick",),
        q=result.q,
        k=result.k,
        by_distance=position_properties.scores_by_distance(result.scores),
        n_position=N_POSITION,
        frequencies=position_properties.sinusoidal_frequencies(len(result.q), float(inputs.base)).tolist(),
        interleaved=inputs.layout == "neighbors",
        at=result.at,
        start=DEFAULT_PLACES,
        label=LABELS["dials_label"],
        takeaway=LABELS("dials_takeaway", n=len(result.q) // 2),
    )
    if ui.depth_at_least("numbers"):
        names = [str(i) for i in range(N_POSITION)]
        ui.matrix(
            result.scores,
            rows=names,
            columns=names,
            key="rotary-scores",
            kind="signed",
            row_title=LABELS["query_at"],
            column_title=LABELS["key_at"],
            value_title=LABELS["score"],
            label=LABELS["scores"],
            height=380,
        )
