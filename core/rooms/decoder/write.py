"""The small GPT of the film continues a text, as trained in the room or with its initial weights."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import printable_text
from core.data.tokenizers import known_word_normalization
from core.data.tokenizers.incremental_decoding import decode_continuation
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, content_key, seed, segmented_control, text_input
from core.generate import decode
from core.generate.filter_settings import FilterSettings, SampledText, sample_continuation
from core.models import registry
from core.rooms.decoder.experiments import lens as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

MODELS = {"after": LABELS["model.after"], "before": LABELS["model.before"]}
N_NEW = 60  # about the length of a story
TRAINED = task.NAME
CODE = (sample_continuation, decode.generate)


class Inputs(Base, prefix="tell_"):
    text: str = text_input(
        "Tom and Mia played near the",
        max_chars=200,
        notes=lambda name, typed, _: ui.recase_text_and_warn_unknown(
            task.stories_tokenizer(), name, typed, LABELS["text.unknown"]
        ),
    )
    model: str = segmented_control(MODELS, "after")
    seed: int = seed()


class WrittenStory(Result):
    """A beginning and its continuation."""

    written: SampledText  # the new tokens
    given: tuple[int, ...]  # ids of the beginning
    words: tuple[str, ...]  # (V,) all tokens, printable
    n_context: int  # the maximum number of tokens that the model reads
    texts: tuple[str, str]  # the beginning, and its continuation

    def table(self) -> Table:
        return self.written.table(self.words)


def compute(inputs: Inputs, run: ExperimentRun) -> WrittenStory:
    """Continue the beginning by sampling each token from the model's probabilities."""
    tokenizer, options = experiment.tokenizer_of(run.record), task.Options(**run.options)
    ids = tuple(tokenizer.encode(known_word_normalization.recase_words_to_vocabulary(tokenizer, inputs.text).text))
    if not ids:
        raise NothingToShow(LABELS["no_text"])
    if inputs.model == "before":
        model = registry.build(task.recorded_config(run.record, options), run.seed).eval().requires_grad_(False)
    else:
        model = task.recorded_model(run.record, options)
    written = sample_continuation(model, ids, N_NEW, FilterSettings(), inputs.seed)
    words = tuple(tokenizer.tokens(range(tokenizer.vocab_size)))
    texts = tokenizer.decode(ids), decode_continuation(tokenizer, ids, written.tokens)
    return WrittenStory(written=written, given=ids, words=words, n_context=model.config.context_length, texts=texts)


def draw(result: WrittenStory, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the text token by token, colored by probability."""
    ui.add_template_values(run=run, when=MODELS[inputs.model])
    given, new = ([result.words[i] for i in ids] for ids in (result.given, result.written.tokens))
    shares = result.written.probabilities
    ui.token_row(
        [*given, *new],
        key=f"tell.{content_key(run.digest, inputs.model, str(inputs.seed), *map(str, result.given))[:12]}",
        values=[*[np.nan] * len(given), *shares],
        kind="probability",
        value_title=LABELS["probability"],
        details=[*[LABELS["given"]] * len(given), *[LABELS("drawn", p=p) for p in shares]],
        title=LABELS["legend"],
        takeaway=LABELS("goes_on", beginning=printable_text(result.texts[0]), text=printable_text(result.texts[1])),
    )
