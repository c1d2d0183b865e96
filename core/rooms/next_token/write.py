"""Text generated token by token: each step's distribution, the random number, and the token that it selects."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_probability
from core.data.printable import visible_token
from core.exhibit import MAX_FIGURES, Control, Result, Table, ViewChoice, memoize, seed, slider
from core.generate import decode
from core.generate.cache import reading_limit
from core.generate.filter_settings import FilterSettings, SampledText, sample_continuation
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary, parse_ids_key
from core.inspect.model_inputs.model_key import ModelKey
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


def _generated_tokens(inputs: "Inputs") -> SampledText:
    """Return the generated tokens."""
    given, n = inputs.given, inputs.written
    in_portions = -(-n // STEPS_PER_PORTION) * STEPS_PER_PORTION
    return _cached_continuation(
        given.key, given.encoded.ids_key, sampling_settings(inputs), inputs.seed, in_portions
    ).first(n)


class Inputs(NextTokenInputs):
    """The number of new tokens, how they are sampled, and the selected step: first the least probable one."""

    temperature: float = temperature_input(ViewChoice())
    top_k: int = top_k_input()
    top_p: float = top_p_input()
    written: int = slider(0, MAX_STEPS, STEPS_PER_CLICK // 2, before_render=f"{__name__}:step_buttons")
    seed: int = seed()
    at_step: int = slider(
        1,
        lambda i: max(1, len(_generated_tokens(i).tokens)),
        lambda i: 1 + int(_generated_tokens(i).probabilities.argmin()) if i.written else 1,
        when=lambda i: i.written > 0,
        view=ViewChoice(
            n_number=lambda i: 3 * len(_generated_tokens(i).tokens) * _max_line_tokens(_generated_tokens(i))
        ),
    )


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

    given: NDArray[np.int64]  # (T,) ids of the text
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
    return Continuation(given=np.array(given.ids), new=new, vocabulary=names, end=end)


def _continuation_values(result: Continuation, inputs: Inputs) -> dict[str, object]:
    """Return the values to show; `assets/widgets/computed/write_on.js` computes the same in the browser."""
    new, tokens = result.new, [result.vocabulary[i] for i in result.new.tokens]
    n_given, greedy = inputs.given.n_token, sampling_settings(inputs).greedy
    told = {
        "tokens": [*inputs.given.tokens, *tokens],
        "surprise": np.array([*[np.nan] * n_given, *-np.log(new.probabilities)]),
        "details": [*[LABELS["given"]] * n_given, *map(_detail, new.probabilities, new.n_kept)],
        "in_words": sampling_settings(inputs).in_words,
    }
    if not tokens:
        return told
    return told | {
        "how": "taken" if greedy else "drawn",
        "numbered": "" if greedy else "number",
        "took": ui.select_by_choice([visible_token(token) for token in tokens], inputs.at_step),
        "number": ui.select_by_choice(
            [0 if np.isnan(number) else number for number in new.draws.tolist()], inputs.at_step
        ),
        **_number_line_values(new, result.vocabulary, inputs.at_step),
    }


def _number_line_values(written: SampledText, vocabulary: Sequence[str], step: object) -> dict[str, object]:
    """Return the number line for each step, 1 to N: all tokens side by side, each as wide as its probability.

    Args:
        written: N steps, at least one.
        vocabulary: (V,) printable.
    """
    lines, most = written.lines, _max_line_tokens(written)
    used = np.unique(np.concatenate([line.tokens for line in lines]))
    ids = np.stack([_pad_values(np.searchsorted(used, line.tokens), most, NO_TOKEN) for line in lines]).astype(np.int32)
    low, high = (
        np.stack([_pad_values(getattr(line, end), most, 0.0) for line in lines]).astype(np.float32)
        for end in ("low", "high")
    )
    return {
        "names": [vocabulary[i] for i in used],
        "token": ui.select_by_choice(np.searchsorted(used, written.tokens).tolist(), step),
        "draw": ui.select_by_choice([None if np.isnan(number) else number for number in written.draws.tolist()], step),
        "pieces": ui.select_by_choice(ids, step),
        "from": ui.select_by_choice(low, step),
        "to": ui.select_by_choice(high, step),
    }


def _max_line_tokens(written: SampledText) -> int:
    """Return the largest number of tokens in one of the lines."""
    return max((len(line.tokens) for line in written.lines), default=0)


def _pad_values(values: np.ndarray, size: int, gap: float) -> np.ndarray:
    return np.pad(values, (0, size - len(values)), constant_values=gap)


def draw(result: Continuation, inputs: Inputs) -> None:
    """Draw the text so far, colored, and one step in detail."""
    given, n_given, n_new, at_step = inputs.given, inputs.given.n_token, len(result.new.tokens), inputs.at_step
    steps = [*range(1, n_new + 1)]
    settings = {"temperature": inputs.temperature, "top_k": inputs.top_k, "top_p": inputs.top_p}
    chosen = {name: ui.choice_ref(one) for name, one in (settings | ({"at_step": at_step} if steps else {})).items()}
    new = ui.compute_in_browser(
        "write_on",
        None if given.end_ids else ui.offer_weights(given.key),  # the browser computes as many steps as the server
        _continuation_values(result, inputs),
        axes=("at_step",),
        **chosen,
        ids=[*map(int, given.ids)],
        given=given.tokens,
        vocabulary=result.vocabulary,
        n=n_new,
        seed=inputs.seed,
    )
    ui.token_row(
        new["tokens"],
        key="write.text",
        values=new["surprise"],
        limits=(0.0, MAX_SURPRISE),
        value_title=ui.quantity_label(LABELS["surprise"], LABELS["nats"]),
        details=new["details"],
        selected=ui.select_by_choice([n_given + step - 1 for step in steps], at_step) if steps else None,
        click_sets=(ui.choice_ref(at_step).name, [*[None] * n_given, *steps]) if steps else None,
        takeaway=LABELS("takeaway", n=n_given, n_new=n_new),
    )
    if steps:
        ui.show_text_section(
            ui.with_possible_section_names(new["numbered"], "number", ""),
            number=new["number"],
            step=ui.select_by_choice(steps, at_step),
        )
        ui.show_text_section(ui.with_possible_section_names(new["how"], "drawn", "taken"), took=new["took"])
        ui.mount_widget(
            "number_line",
            key="write.line",
            height=90,
            names=new["names"],
            token=new["token"],
            drawn=new["draw"],
            label="",
            takeaway=LABELS["line_takeaway"],
            ids=new["pieces"],
            low=new["from"],
            high=new["to"],
        )
    ui.add_template_values(limit=reading_limit(given.model), in_words=new["in_words"])


def _detail(probability: float, n_kept: int) -> str:
    if n_kept > 1:
        return LABELS("one_left", probability=format_probability(probability, ".3f"), n_kept=int(n_kept))
    return LABELS["only_left"]
