"""Models drawn to scale: the learner's own in the corner of all others."""

from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterRecord
from core.models.configs.presets import PRESETS
from core.rooms.sizes.configs import mine
from core.rooms.sizes.count import counted, counted_config
from core.rooms.sizes.to_scale_widget import Square, to_scale
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.models import ModelKey
from core.ui.numbers import short, times

YOURS = "Yours"
LADDER = ("a-lecture-s-gpt", "gpt-2-small", "bert-large", "gpt-2-xl", "t5-11b", "gpt-3-175b")


@exhibit(
    title="Drawn to scale",
    look_for="the little square in the corner, “Yours”: the model you've chosen. Equal areas are equal numbers of "
    "parameters.",
    try_this=[
        (
            "Click GPT-3 175B.",
            "Yours is now smaller than a pixel. The model chosen at first fits 545,529 times.",
        ),
        (
            "Pull the zoom slowly to the left.",
            "Each notch is a factor, not a difference. Between the first model, trained here in seven minutes, and "
            "GPT-3 lie almost six powers of ten, as between a 75 cm step and a 410 km journey.",
        ),
        (
            "Add another model.",
            "It takes its place among the others. Click it to see its parts inside.",
        ),
    ],
    code=(parameters.count, parameters.count_config),
)
def scale(key: ModelKey) -> Shown:
    """One more model to choose, the squares, and what their ratio is."""
    rest = [name for name in PRESETS if name not in LADDER]
    labels = {name: PRESETS[name].title for name in rest}
    added = controls.select("scale_add", "Beside these, show", rest, "vit-b-16", labels=labels)
    own = counted_config(mine(key).config)
    records = [(YOURS, own)] + [(PRESETS[name].title, counted(name)) for name in (*LADDER, added)]
    records.sort(key=lambda one: one[1].total)
    squares = [_square(name, record, own.total) for name, record in records]
    place = [name for name, _ in records].index(PRESETS[LADDER[0]].title)
    largest = records[-1]
    to_scale(
        squares,
        key="sizes.scale",
        selected=place,
        label="Parameters as areas",
        takeaway=f"{len(squares)} models as squares, from {squares[0].name} with {squares[0].count:,} parameters to "
        f"{largest[0]} with {largest[1].total:,}.",
    )
    return Shown(
        numbers=lambda: parameters.size_table(dict(records), YOURS),
        formula=rf"\frac{{{largest[1].total:,}}}{{{own.total:,}}} = {largest[1].total / own.total:,.0f}".replace(
            ",", "{,}"
        ),
        script=lambda: _script(key, [*LADDER, added]),
    )


def _script(key: ModelKey, names: list[str]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.costs import parameters
        from core.models.configs.presets import PRESETS
        from core.models.pretrained import load

        $folder
        names = $names

        # The modules of each model are built without memory and counted.
        records = {PRESETS[name].title: parameters.count_config(PRESETS[name].config) for name in names}
        records["Yours"] = parameters.count_config(load(FOLDER).config)
        print_table(parameters.size_table(records, own="Yours"))
        """,
        folder=scripts.folder(key),
        names=names,
    )


def _square(name: str, record: ParameterRecord, own: int) -> Square:
    ratio = record.total / own
    if name == YOURS:
        words = f"Your model has {record.total:,} parameters."
    elif ratio < 1:
        words = f"{name} has {short(record.total)} parameters; yours is {times(1 / ratio)} times as large."
    else:
        words = (
            f"{name} has {short(record.total)} parameters: yours fits {times(ratio)} times. Its square is "
            f"{times(ratio**0.5)} times as wide."
        )
    return Square(name, {term.name: term.count for term in record.terms}, times(ratio), words)
