"""Two languages: a transformer learns to translate, and then translates the learner's sentence."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, ViewChoice, custom_control, seed, select, text_input
from core.models.original_transformer import Transformer
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord
from core.rooms.encoder_decoder.experiments import translation as task
from core.rooms.encoder_decoder.inputs import SENTENCE_OPTIONS, SourceSentence, head_names, parse_source
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

CODE = (languages.Sentence.tamari, languages.Phrase.tamari, task.Translation, task.translate, Transformer)


def _run_options(inputs: Any) -> dict[str, Any]:
    """Return the options of the run."""
    return {"n_layer": inputs.n_layer, "n_head": inputs.n_head}


class Inputs(Base, prefix="trans_"):
    seed: int = seed()
    n_layer: int = task.Options.control("n_layer")
    n_head: int = task.Options.control("n_head")
    run: ExperimentRun = custom_control(
        "core.ui.training.live_experiments:train_experiment_on_click",
        lambda i: run_experiment("translation", seed=i.seed, **_run_options(i)),
        name="translation",
        options=_run_options,
        seed=lambda i: i.seed,
        about=LABELS["about"],
    )
    text: str = text_input(default="the small dog does not see some white cats now", **SENTENCE_OPTIONS)
    film_head: tuple[int, int] = select(
        lambda i: head_names(*_attention_frames(i.run).shape[1:3]),
        lambda i: (_attention_frames(i.run).shape[1] - 1, 0),
        view=ViewChoice(),
    )


def _attention_frames(run: ExperimentRun) -> NDArray[np.uint8]:
    """Return the cross-attention of one sentence during training: (evaluations, L, H, T, S)."""
    return run.record["frames.weights"]


class TranslationProgress(Result):
    """The run so far, and the learner's sentence with its translation; None if the model knows none of its words."""

    run: ExperimentRun
    step: int  # of the newest measurement
    exact: float  # fraction of whole sentences that are right
    source: SourceSentence | None
    seen: CrossAttentionRecord | None

    def table(self) -> dict[str, list[float]]:
        """Return the fractions of held-out sentences, and of their words, that are right at each step."""
        names = {
            LABELS["step"]: "step",
            LABELS["whole_sentences"]: "curve.exact",
            LABELS["single_words"]: "curve.words",
        }
        return {name: self.run.record[key].tolist() for name, key in names.items()}


def compute(inputs: Inputs) -> TranslationProgress:
    """Return the record, and the model's translation of the learner's sentence."""
    source = parse_source(inputs.text) if languages.split_known_words(inputs.text)[0] else None
    return TranslationProgress(
        run=inputs.run,
        step=int(inputs.run.record["step"][-1]),
        exact=float(inputs.run.record["curve.exact"][-1]),
        source=source,
        seen=None if source is None else source.write(inputs.run),
    )


def draw(result: TranslationProgress, inputs: Inputs) -> None:
    """Draw the film of the cross-attention, the learner's sentence, and the learning curves."""
    record = inputs.run.record
    exact, words = record["curve.exact"], record["curve.words"]
    sentence = languages.parse_english(task.PROBE)
    truth = np.zeros(_attention_frames(inputs.run).shape[3:], bool)
    if sentence is not None:
        truth[np.arange(len(truth) - 1), sentence.alignment()] = True
    ui.matrix_film(
        ui.pad_stack(ui.for_each_option(lambda at: _attention_frames(inputs.run)[:, at[0], at[1]], inputs.film_head)),
        steps=record["step"].tolist(),
        rows=languages.ids_to_tokens(languages.encode_target(languages.to_tamari(task.PROBE) or "")),
        columns=task.PROBE.split(),
        notes=[LABELS("film_note", sentences=one, words=other) for one, other in zip(exact, words, strict=True)],
        truth=truth,
        truth_title=LABELS["translated_word"],
        key="trans-film",
        label=ui.for_each_option(lambda at: LABELS("film_title", layer=at[0], head=at[1]), inputs.film_head),
        takeaway=ui.section_text("film"),
    )
    ui.add_template_values(n_seen=result.step * task.BATCH, n_sentence=languages.count_sentences())
    with ui.st.popover(LABELS["words_and_grammar"]):
        ui.show_markdown(ui.section_text("words", languages=languages))
        ui.show_markdown(ui.section_text("grammar"))
    if ui.depth_at_least("numbers"):
        ui.curves(
            {LABELS["whole_sentences"]: (record["step"], exact), LABELS["single_words"]: (record["step"], words)},
            n_step=inputs.run.n_step,
            y=ui.Axis(LABELS["right_axis"], (0, 1.05)),
            height=240,
        )
