"""Teacher forcing compared with free-running decoding, in a transformer that translates."""

from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, NothingToShow, Result, memoize, segmented_control, text_input
from core.inspect.teacher_forcing import AccuracyByPosition, compare_teacher_forcing
from core.models.original_transformer import Transformer
from core.models.recurrent_seq2seq import shift_right
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record_cross_attention
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.inputs import SENTENCE_OPTIONS, parse_source, translator
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_SENTENCE = 200  # sentences of the curve
ADJECTIVE_COUNTS = {"usual": languages.USUAL_ADJECTIVES, "longer": languages.MANY_ADJECTIVES}  # adjectives per sentence
CODE = (shift_right, Transformer.forward, record_cross_attention, compare_teacher_forcing)


class Inputs(Base, prefix="force_"):
    run: ExperimentRun = translator()
    text: str = text_input(default="the big white king sees a red white duck again", **SENTENCE_OPTIONS)
    sentences: str = segmented_control(tuple(ADJECTIVE_COUNTS), "longer", name="force_set")


class ForcingComparison(Result):
    """One sentence decoded both ways, and statistics over many."""

    truth: list[int]  # the right tokens of the sentence
    forced: CrossAttentionRecord
    free: CrossAttentionRecord
    shares: AccuracyByPosition  # fraction of right words at each position, over many sentences

    def table(self) -> dict[str, list[float]]:
        """Return one row per position."""
        return self.shares.table(free=LABELS["writing_freely"])


@memoize(64)
def _accuracy_by_position(run: ExperimentRun, sentences: str) -> AccuracyByPosition:
    """Measure the fraction of right words at each position, over 200 sentences of one kind."""
    pairs = [
        (one.english(), one.tamari()) for one in languages.sample_sentences(N_SENTENCE, 0, ADJECTIVE_COUNTS[sentences])
    ]
    ends: Any = {"start_id": languages.START, "end_id": languages.END}
    return compare_teacher_forcing(translation.model_of(run), *translation.translation_batch(pairs), **ends)


def compute(inputs: Inputs) -> ForcingComparison:
    """Decode the sentence with teacher forcing and freely, and many others for the curve."""
    source = parse_source(inputs.text)
    if source.truth is None:
        raise NothingToShow(LABELS["no_such_sentence"])
    truth = languages.encode_target(source.truth)
    forced, free = source.write(inputs.run, forced=truth), source.write(inputs.run)
    return ForcingComparison(
        truth=truth, forced=forced, free=free, shares=_accuracy_by_position(inputs.run, inputs.sentences)
    )


def draw(result: ForcingComparison, inputs: Inputs) -> None:
    """Draw two rows of words, and two curves."""
    key = parse_source(inputs.text).key
    for name, seen in (("forced", result.forced), ("free", result.free)):
        how = {"title": ui.section_text(name), "key": f"force-{name}:{key}"}
        ui.token_row_with_errors(seen, result.truth, languages.ids_to_tokens, unit="word", **how)
    ui.add_template_values(
        n=N_SENTENCE, told=ui.describe_token_errors(result.forced, result.free, result.truth, ui.section_text("advice"))
    )
    places = list(range(1, len(result.shares.forced) + 1))
    ui.curves(
        {LABELS["teacher_forcing"]: (places, result.shares.forced), LABELS["freely"]: (places, result.shares.free)},
        x=LABELS["position_axis"],
        y=ui.Axis(LABELS["right_axis"], (0, 1.05)),
        height=240,
    )
