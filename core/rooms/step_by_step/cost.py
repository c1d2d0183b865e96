"""The cost of a layer: multiply-adds and bytes by length and width, and the times measured on this machine."""

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_bytes, format_count
from core.exhibit import Inputs as Base, Result, Table, custom_control, segmented_control, select, slider
from core.inspect.costs import layer_cost as costs
from core.inspect.costs.layer_cost import FLOAT_BYTES, LayerCost, LayerTiming, TimingFit

LABELS = module_labels(__name__)

WIDTHS = (32, 64, 128, 256, 512, 768, 1024)
HEADS = (1, 2, 4, 8, 16)
LAYER_PARTS = {"block": LABELS["layer_part.block"], "attention": LABELS["layer_part.attention"]}
CODE = (costs.layer_cost, costs.crossover_length, costs.time_layer_by_length, costs.fit_timings)
Measurements = tuple[tuple[int, float, int], ...]


def ask_timings(part: str, d_model: int, n_head: int) -> Measurements:
    """Return (length, seconds, passes) as measured in this session for these sizes; the button measures again."""
    from core.ui import state
    from core.ui.training import layer_timer

    done: dict[tuple[str, int, int], Measurements] = state.session_slot("cost.measured", dict)
    sizes, lengths = (part, d_model, n_head), costs.lengths_to_measure(n_head)
    if ui.st.button(
        LABELS["measure"],
        icon=":material/timer:",
        key="cost-measure",
        help=LABELS(
            "time_block" if part == "block" else "time_attention",
            n_head=n_head,
            shortest=lengths[0],
            longest=lengths[-1],
            seconds=layer_timer.TIMING_SECONDS,
        ),
    ):
        found = layer_timer.time_layer_with_bar(d_model, n_head, lengths, whole_block=part == "block")
        if found:
            done[sizes] = tuple((one.n_token, one.seconds, one.n_repeat) for one in found)
    elif sizes not in done:
        ui.st.caption(LABELS("not_measured", seconds=layer_timer.TIMING_SECONDS))
    return done.get(sizes, ())


class Inputs(Base, prefix="cost_"):
    part: str = segmented_control(
        LAYER_PARTS,
        "block",
    )
    d_model: int = select(WIDTHS, 64, name="cost_width")
    n_head: int = select(HEADS, 4, name="cost_heads")
    n_token: int = slider(16, 8_192, 512, step=16, name="cost_length", heading="")
    count: str = segmented_control(("work", "bytes"), "work")
    measured: Measurements = custom_control(
        "core.rooms.step_by_step.cost:ask_timings",
        (),
        part=lambda i: i.part,
        d_model=lambda i: i.d_model,
        n_head=lambda i: i.n_head,
    )


class LayerCostResult(Result):
    """The cost of one layer by the length of the text."""

    part: str  # "block" or "attention"
    d_model: int
    n_head: int
    here: LayerCost  # at the selected length
    ladder: tuple[LayerCost, ...]  # at each of `layer_cost.TABLE_LENGTHS`
    crossing: float  # length at which pairs start to take more multiply-adds than single tokens
    timings: tuple[LayerTiming, ...]
    fitted: TimingFit | None  # None if there are too few lengths
    formula: str

    def table(self) -> Table:
        """Return one row per length."""
        return costs.layer_cost_by_length(self.d_model, self.n_head, None if self.part == "block" else 0, self.timings)


def compute(inputs: Inputs) -> LayerCostResult:
    """Count the costs; the measured times come with the inputs."""
    n, d, n_head = inputs.n_token, inputs.d_model, inputs.n_head
    d_ff, factor = (None, 12) if inputs.part == "block" else (0, 4)  # None: 4 d_model
    here = costs.layer_cost(n, d, n_head, d_ff)
    timings, equal = tuple(LayerTiming(*one) for one in inputs.measured), LABELS["formula.equal_at"]
    linear, quadratic = (rf"\text{{{format_count(value)}}}" for value in (here.linear, here.quadratic))
    return LayerCostResult(
        part=inputs.part,
        d_model=d,
        n_head=n_head,
        here=here,
        ladder=tuple(costs.layer_cost(length, d, n_head, d_ff) for length in costs.TABLE_LENGTHS),
        crossing=costs.crossover_length(d, d_ff),
        timings=timings,
        fitted=costs.fit_timings(timings) if len(timings) >= 3 else None,
        formula=(
            rf"\begin{{aligned}} {factor}\,N D^2 &= {factor} \cdot {n} \cdot {d}^2 = {linear} \\[1ex]"
            rf"2\,N^2 D &= 2 \cdot {n}^2 \cdot {d} = {quadratic} \\[1ex]"
            rf"\text{{{equal} }} N &= {factor // 2}\,D = {factor // 2 * d} \end{{aligned}}"
        ),
    )


def draw(result: LayerCostResult, inputs: Inputs) -> None:
    """Draw the counted curves and the measured ones."""
    here, timings, fitted = result.here, result.timings, result.fitted
    with ui.st.container(horizontal=True):
        if inputs.count == "work":
            ui.show_metric(LABELS["multiply_adds"], format_count(here.total))
            ui.show_metric(LABELS["on_pairs"], f"{here.quadratic / here.total:.0%}")
        else:
            pairs, tokens = ui.section_text("pairs", size=FLOAT_BYTES), ui.section_text("tokens")
            ui.show_metric(LABELS["attention_weights"], _bytes(inputs.n_head * inputs.n_token**2), help=pairs)
            ui.show_metric(LABELS["single_tokens"], _bytes(here.token_numbers), help=tokens)
    left, right = ui.two_columns("cost")
    with right:
        if timings:
            curve = [] if fitted is None else _curve(fitted, timings)
            ui.fitted_curve_chart(
                ([one.n_token for one in timings], [1000 * one.seconds for one in timings]),
                ([n for n, _ in curve], [1000 * seconds for _, seconds in curve]),
                x=ui.Axis(LABELS["length_axis"], format=",d", is_log=True),
                y=ui.Axis(LABELS["time_axis"], is_log=True),
                alt=ui.section_text("times"),
            )
    with left:  # last, so that this one is downloaded
        _counted(result, inputs)


def _counted(result: LayerCostResult, inputs: Inputs) -> None:
    ladder, crossing = result.ladder, result.crossing
    if inputs.count == "work":
        linear = "12 N D²" if result.part == "block" else "4 N D²"
        curves = {
            _named(linear, LABELS["each_token"]): [one.linear for one in ladder],
            _named("2 N² D", LABELS["pairs"]): [one.quadratic for one in ladder],
        }
        y, cross = (
            ui.Axis(LABELS["multiply_adds_axis"], format="~s", is_log=True),
            {LABELS("crossing", crossing=crossing): crossing},
        )
    else:
        curves = {
            _named("2 H N²", LABELS["pairs"]): [FLOAT_BYTES * one.pair_numbers for one in ladder],
            LABELS["token_vectors"]: [FLOAT_BYTES * one.token_numbers for one in ladder],
            LABELS["layer_weights"]: [FLOAT_BYTES * one.weight_numbers for one in ladder],
        }
        y, cross = ui.Axis(LABELS["memory_axis"], unit="bytes", is_log=True), {}
    ui.curves(
        {name: (costs.TABLE_LENGTHS, values) for name, values in curves.items()},
        x=ui.Axis(
            LABELS["length_axis"], (min(costs.TABLE_LENGTHS), max(costs.TABLE_LENGTHS)), format=",d", is_log=True
        ),
        y=y,
        at={LABELS("n_token_line", n_token=inputs.n_token): inputs.n_token, **cross},
        height=330,
        alt=ui.section_text(f"by-{inputs.count}", bytes=_bytes(result.here.pair_numbers)),
    )


def _named(formula: str, meaning: str) -> str:
    """Return a curve's name: in the story its meaning, otherwise also its formula."""
    return LABELS("named_formula", formula=formula, meaning=meaning) if ui.depth_at_least("numbers") else meaning


def _curve(fitted: TimingFit, timings: tuple[LayerTiming, ...]) -> list[tuple[float, float]]:
    first, last = timings[0].n_token, timings[-1].n_token
    places = [first * (last / first) ** (i / 60) for i in range(61)]
    return [(n, fitted.seconds(n)) for n in places]


def _bytes(numbers: int) -> str:
    return format_bytes(numbers * FLOAT_BYTES)
