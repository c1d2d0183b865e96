"""Text generated token by token: each step's distribution, the random number, and the token that it selects."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_probability
from core.exhibit import MAX_FIGURES, Control, Result, Table, ViewChoice, memoize, seed, slider
from core.generate import decode
from core.generate.cache import reading_limit
from core.generate.filter_settings import FilterSettings, SampledText, sample_continuation
from core.inspect.model_inputs.model_and_text import ModelAndText, load_text_model, model_vocabulary, parse_ids_key
from core.inspect.model_inputs.model_key import ModelKey
from core.inspect.model_inputs.predicted_position import initial_position
from core.rooms.next_token.inputs import NextTokenInputs, sampling_settings, temperature_input, top_k_input, top_p_input

LABELS = module_labels(__name__)

# Each step costs a pass of the model, and the server is shared: more steps would keep others waiting.
MAX_STEPS = 200
STEPS_PER_CLICK = 40
# Steps are computed in portions of this size, so that one more token is usually there already.
STEPS_PER_PORTION = 20
MAX_SURPRISE = 4.0  # nats, a probability of 1 in 55; the color scale ends here
NO_TOKEN = -1  # no token: pads the lines of steps that have fewer
CODE = (decode.generate, decode.inverse_cdf, sample_continuation)


@memoize(MAX_FIGURES)
def _cached_continuation(key: ModelKey, ids_key: str, settings: FilterSettings, seed: int, n: int) -> SampledText:
    """Continue a text by n tokens."""
    found = load_text_model(key)
    return sample_continuation(found.model, parse_ids_key(ids_key), n, settings, seed, eos_id=found.end_ids)


def n_given_token(given: ModelAndText) -> int:
    """Return the tokens that are continued: a user's text whole, the model's own up to where it is least sure."""
    return initial_position(given)


def _generated_tokens(inputs: "Inputs") -> SampledText:
    """Return the generated tokens."""
    given, n = inputs.given, inputs.written
    ids_key = ",".join(map(str, given.ids[: n_given_token(given)]))
    in_portions = -(-n // STEPS_PER_PORTION) * STEPS_PER_PORTION
    return _cached_continuation(given.key, ids_key, sampling_settings(inputs), inputs.seed, in_portions).first(n)


class Inputs(NextTokenInputs):
    """The number of new tokens, and how they are sampled."""

    temperature: float = temperature_input(ViewChoice())
    top_k: int = top_k_input()
    top_p: float = top_p_input()
    written: int = slider(0, MAX_STEPS, STEPS_PER_CLICK // 2, before_render=f"{__name__}:step_buttons")
    seed: int = seed(1, depth="numbers")


def step_buttons(control: Control, _: object) -> None:
    """Draw buttons that move the slider."""
    with ui.st.container(horizontal=True):
        for label, icon, key, n, look in (
            (LABELS["one_token"], ":material/add:", "write-one", 1, "primary"),
            (
                LABELS("more_tokens", n=STEPS_PER_CLICK),
                ":material/fast_forward:",
                "write-many",
                STEPS_PER_CLICK,
                "secondary",
            ),
            (LABELS["reset"], ":material/restart_alt:", "write-reset", -MAX_STEPS, "secondary"),
        ):
            ui.control_button(label, control, key=key, on_click=_add, args=(control, n), icon=icon, type=look)


def _add(control: Control, n: int) -> None:
    ui.set_control(control, min(MAX_STEPS, max(0, int(ui.current_value(control, control.default)) + n)))


class Continuation(Result):
    """A text and its continuation."""

    given: NDArray[np.int64]  # (T,) ids of the text that is continued
    is_cut: bool  # True if the text goes on after these
    new: SampledText  # the sampled tokens and their distributions, step by step
    vocabulary: tuple[str, ...]  # (V,) printable
    end: str  # the end token, if the continuation ends with one; else ""

    def table(self) -> Table:
        """Return one row per step."""
        return self.new.table(self.vocabulary)


def compute(inputs: Inputs) -> Continuation:
    """Generate token by token: run the model, filter, draw, append. The same seed draws the same numbers."""
    given, new, names = inputs.given, _generated_tokens(inputs), model_vocabulary(inputs.given.key)
    last = new.tokens[-1:].tolist()
    end = names[last[0]] if last and last[0] in given.end_ids else ""
    n = n_given_token(given)
    return Continuation(given=np.array(given.ids[:n]), is_cut=n < given.n_token, new=new, vocabulary=names, end=end)


def _continuation_values(result: Continuation, settings: FilterSettings) -> dict[str, object]:
    """Return the values to show; `assets/widgets/computed/write_on.js` computes the same in the browser.

    For each of N steps, the number line: all tokens side by side, each as wide as its probability. `pieces`, `from` and
    `to` are (N, M) for at most M pieces, `taken` and `draws` are (N,); tokens are indices of `names`.
    """
    new, names, n_given = result.new, result.vocabulary, len(result.given)
    used = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(line.tokens for line in new.lines)]))
    most = max((len(line.tokens) for line in new.lines), default=0)

    def side_by_side(rows: list[NDArray[np.generic]], gap: float, kind: type) -> NDArray[np.generic]:
        padded = [np.pad(row, (0, most - len(row)), constant_values=gap) for row in rows]
        return np.array(padded, dtype=kind).reshape(len(rows), most)

    return {
        "tokens": [*(names[i] for i in result.given), *(names[i] for i in new.tokens)],
        "surprise": np.array([*[np.nan] * n_given, *-np.log(new.probabilities)]),
        "details": [*[LABELS["given"]] * n_given, *map(_detail, new.probabilities, new.n_kept)],
        "in_words": settings.in_words,
        "names": [names[i] for i in used],
        "taken": np.searchsorted(used, new.tokens).astype(np.int32),
        "draws": new.draws.astype(np.float32),
        "pieces": side_by_side([np.searchsorted(used, line.tokens) for line in new.lines], NO_TOKEN, np.int32),
        "from": side_by_side([line.low for line in new.lines], 0, np.float32),
        "to": side_by_side([line.high for line in new.lines], 0, np.float32),
    }


def draw(result: Continuation, inputs: Inputs) -> None:
    """Draw the text and the number line of each step; with the numbers, how surprising each token was."""
    given, n_given, n_new = inputs.given, len(result.given), len(result.new.tokens)
    settings = {"temperature": inputs.temperature, "top_k": inputs.top_k, "top_p": inputs.top_p}
    new = ui.compute_in_browser(
        "write_on",
        None if given.end_ids else ui.offer_weights(given.key),  # the browser computes as many steps as the server
        _continuation_values(result, sampling_settings(inputs)),
        **{name: ui.choice_ref(one) for name, one in settings.items()},
        ids=result.given.tolist(),
        given=given.tokens[:n_given],
        vocabulary=result.vocabulary,
        n=n_new,
        seed=inputs.seed,
    )
    if n_new:
        ui.mount_widget(
            "number_line",
            key="write.line",
            height=420,
            n_given=n_given,
            tokens=new["tokens"],
            names=new["names"],
            takeaway=LABELS["line_takeaway"],
            taken=new["taken"],
            draws=new["draws"],
            ids=new["pieces"],
            low=new["from"],
            high=new["to"],
        )
    if not n_new or ui.depth_at_least("numbers"):
        ui.token_row(
            new["tokens"],
            key="write.text",
            values=new["surprise"],
            limits=(0.0, MAX_SURPRISE),
            value_title=ui.quantity_label(LABELS["surprise"], LABELS["nats"]),
            details=new["details"],
            takeaway=LABELS("takeaway", n=n_given, n_new=n_new),
        )
    ui.add_template_values(limit=reading_limit(given.model), in_words=new["in_words"])


def _detail(probability: float, n_kept: int) -> str:
    if n_kept > 1:
        return LABELS("one_left", probability=format_probability(probability, ".3f"), n_kept=int(n_kept))
    return LABELS["only_left"]
