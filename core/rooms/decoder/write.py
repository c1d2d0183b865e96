"""The small GPT of the film continues a text, as trained in the room or with its initial weights."""

import numpy as np

from core import ui
from core.data.printable import printable
from core.data.tokenizers import normalization
from core.data.tokenizers.stream import continuation
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, content_key, seed, segmented, text_input
from core.generate import decode
from core.generate.settings import Settings, Written, write_on
from core.models import registry
from core.rooms.decoder.experiments import lens as task
from core.train import experiment
from core.train.experiments.live import Live

MODELS = {"after": "after training", "before": "before training"}
N_NEW = 60  # about the length of a story
TRAINED = task.NAME
CODE = (write_on, decode.generate)


class Inputs(Base, prefix="tell_"):
    text: str = text_input(
        "The beginning",
        "Tom and Mia played near the",
        max_chars=200,
        notes=lambda name, typed, _: ui.read_words(
            task.stories_tokenizer(), name, typed, "It reads <unknown> instead."
        ),
    )
    model: str = segmented("Model", MODELS, "after")
    seed: int = seed()


class WrittenStory(Result):
    """A beginning and its continuation."""

    written: Written  # the new tokens
    given: tuple[int, ...]  # ids of the beginning
    words: tuple[str, ...]  # (V,) all tokens, printable
    n_context: int  # the maximum number of tokens that the model reads
    texts: tuple[str, str]  # the beginning, and its continuation

    def table(self) -> Table:
        return self.written.table(self.words)


def compute(inputs: Inputs, run: Live) -> WrittenStory:
    """Continue the beginning by sampling each token from the model's probabilities."""
    tokenizer, options = experiment.tokenizer_of(run.record), task.Options(**run.options)
    ids = tuple(tokenizer.encode(normalization.normalize(tokenizer, inputs.text).text))
    if not ids:
        raise NothingToShow("Type at least one word: the model continues a text.")
    if inputs.model == "before":
        model = registry.build(task.recorded_config(run.record, options), run.seed).eval().requires_grad_(False)
    else:
        model = task.recorded_model(run.record, options)
    written = write_on(model, ids, N_NEW, Settings(), inputs.seed)
    words = tuple(tokenizer.tokens(range(tokenizer.vocab_size)))
    texts = tokenizer.decode(ids), continuation(tokenizer, ids, written.tokens)
    return WrittenStory(written=written, given=ids, words=words, n_context=model.config.context_length, texts=texts)


def draw(result: WrittenStory, inputs: Inputs, run: Live) -> None:
    """Draw the text token by token, colored by probability."""
    ui.facts(run=run, when=MODELS[inputs.model])
    given, new = ([result.words[i] for i in ids] for ids in (result.given, result.written.tokens))
    shares = result.written.probabilities
    ui.token_row(
        [*given, *new],
        key=f"tell.{content_key(run.digest, inputs.model, str(inputs.seed), *map(str, result.given))[:12]}",
        values=[*[np.nan] * len(given), *shares],
        kind="probability",
        value_title="probability when drawn",
        details=[*["given"] * len(given), *[f"drawn with probability {p:.3f}" for p in shares]],
        title="Given (dashed) and written (colored)",
        takeaway=f"“{printable(result.texts[0])}” goes on: “{printable(result.texts[1])}”",
    )
