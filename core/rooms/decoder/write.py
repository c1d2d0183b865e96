"""The small GPT of the film writes on: what somebody has just trained, or its own beginning, which knows nothing."""

from typing import Any

import numpy as np
import streamlit as st

from core.cache import content_key, memoize
from core.data.printable import printable
from core.generate import decode
from core.generate.settings import Settings, Written, write_on
from core.models import registry
from core.rooms.decoder.experiments import lens as task
from core.train import experiment
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import READS_UNKNOWN, read_words
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained
from core.ui.widgets import widgets

NAME = task.NAME
BEGINNING = "Tom and Mia played near the"
MODELS = {"after": "after training", "before": "before training"}
N_NEW = 60  # a story is about so long
MOST_CHARS = 200


@memoize(MAX_RESULTS)
def written_on(
    models: Trained, options: task.Options, seed: int, when: str, ids: tuple[int, ...], draw: int
) -> Written:
    """A text continued by N_NEW tokens, each drawn with the probability that the model gives it.

    Args:
        models: the film's, as far as it is trained.
        seed: from which it was drawn: "before" training it is drawn anew.
    """
    if when == "before":
        model = registry.build(task.config_of(models.record, options), seed).eval().requires_grad_(False)
    else:
        model = task.model_of(models.record, options)
    return write_on(model, ids, N_NEW, Settings(), draw)


@exhibit(
    title="Let it write",
    look_for="what holds together and what doesn't. Each word is drawn with the probability that the model gives it, "
    "added to the text, and read with all the others before the next one.",
    try_this=[
        (
            "Type a beginning of your own, such as “Zoe had a”.",
            "It goes on as its stories do. It has no other words than theirs.",
        ),
        (
            "Change the seed.",
            "Another text from the same model: only the draws differ.",
        ),
        (
            "Choose “before training”.",
            "Words at random. Its weights have just been drawn, and all words are nearly equally likely.",
        ),
    ],
    code=(write_on, decode.generate),
)
def write() -> Shown | None:
    """The beginning, and what the model makes of it."""
    shown = latest(NAME)
    if shown is None:
        return None
    left, middle, right = st.columns([4, 3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        text = controls.text_input("tell_text", "The beginning", BEGINNING, max_chars=MOST_CHARS)
    with middle:
        when = controls.segmented("tell_model", "Model", list(MODELS), "after", labels=MODELS)
    with right:
        draw = controls.seed(name="tell_seed")
    tokenizer: Any = experiment.tokenizer_of(shown.record)
    text = read_words(tokenizer, "tell_text", text, READS_UNKNOWN)
    ids = tuple(tokenizer.encode(text))
    if not ids:
        st.info("Type at least one word: the model continues a text.")
        return None
    st.caption(f"{_whose(shown)}, {MODELS[when]}.")
    vocabulary = tokenizer.tokens(range(tokenizer.vocab_size))
    options = task.Options(**shown.options)
    written = written_on(trained(shown), options, shown.seed, when, ids, draw)
    new = [vocabulary[i] for i in written.tokens]
    given = tokenizer.tokens(list(ids))
    widgets.token_row(
        [*given, *new],
        key=f"tell.{content_key(trained(shown).digest, when, str(draw), *map(str, ids))[:12]}",
        values=[*[np.nan] * len(given), *written.probabilities],
        kind="probability",
        value_title="probability when drawn",
        details=[*["given"] * len(given), *[f"drawn with probability {p:.3f}" for p in written.probabilities]],
        title="Given (dashed) and written (colored)",
        takeaway=f"“{printable(''.join(given))}” goes on: “{printable(''.join(new))}”",
    )
    depth.note(
        f"{N_NEW} tokens, drawn at temperature 1. The model reads at most the last "
        f"{task.config_of(shown.record, options).context_length} tokens."
    )
    return Shown(
        numbers=lambda: written.table(vocabulary),
        arrays=vars(written) | {"given": np.array(ids)},
        script=lambda: _script(shown, when, text, draw),
    )


def _whose(shown: Live) -> str:
    return f"The example that ships, seed {shown.seed}" if shown.is_example else f"Your own model, seed {shown.seed}"


def _script(shown: Live, when: str, text: str, draw: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.generate.settings import Settings, write_on
        from core.models import registry
        from core.train.experiment import record_of, tokenizer_of
        from core.rooms.decoder.experiments import lens

        record = $record
        tokenizer = tokenizer_of(record)
        options = $options
        model = $model
        written = write_on(model, tokenizer.encode($text), $n, Settings(), seed=$draw)
        print_table(written.table(tokenizer.tokens(range(tokenizer.vocab_size))))
        """,
        record=scripts.record(NAME, shown),
        options=scripts.Code(f"lens.{scripts.settings(task.Options(**shown.options))}"),
        model=scripts.Code(
            f"registry.build(lens.config_of(record, options), {shown.seed}).eval()"
            if when == "before"
            else "lens.model_of(record, options)"
        ),
        text=text,
        n=N_NEW,
        draw=draw,
    )
