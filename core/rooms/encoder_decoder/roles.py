"""The source of queries, keys and values: cross-attention as a film over the output tokens."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, text_input
from core.nn.attention import MultiHeadAttention, attention_scores
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record_cross_attention
from core.rooms.encoder_decoder.inputs import SENTENCE_OPTIONS, SourceSentence, parse_source, translator
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

CODE = (MultiHeadAttention.forward, attention_scores, record_cross_attention)


class Inputs(Base, prefix="roles_"):
    run: ExperimentRun = translator()
    text: str = text_input(default="the small red dog sees some white cats now", **SENTENCE_OPTIONS)


class CrossAttentionRoles(Result):
    """A translation, and all of its attention."""

    source: SourceSentence
    seen: CrossAttentionRecord
    layer: int  # the last one; its first head is shown first
    formula: str  # the strongest score of the second output token

    def table(self) -> Table:
        """Return one row per source token, and a column of weights for each output token."""
        weights = self.seen.cross[self.layer, 0]
        columns = {
            LABELS("weights_column", position=t, token=name, layer=self.layer): weights[t].tolist()
            for t, name in enumerate(self.seen.tokens)
        }
        return {LABELS["source_token"]: list(self.source.words), **columns}


def compute(inputs: Inputs) -> CrossAttentionRoles:
    """Translate the sentence and record everything that passes between the two sides."""
    source = parse_source(inputs.text)
    seen = source.write(inputs.run)
    layer = len(seen.cross) - 1
    return CrossAttentionRoles(source=source, seen=seen, layer=layer, formula=_score_formula(seen, layer))


def _score_formula(seen: CrossAttentionRecord, layer: int) -> str:
    """Return the formula of the strongest score of the second output token, in the first head of a layer."""
    t = min(1, len(seen.written) - 1)
    q, k, scores, weights = (getattr(seen, name)[layer, 0] for name in ("q", "k", "scores", "cross"))
    s = int(weights[t].argmax())
    dot = float(q[t] @ k[s])
    score = f"{dot * seen.scale:.3f}"
    lines = (
        rf"q_{{{t}}} \cdot k_{{{s}}} &= {dot:.3f}",
        rf"s_{{{t},{s}}} &= {dot:.3f} / \sqrt{{{q.shape[-1]}}} = {score}",
        rf"w_{{{t},{s}}} &= e^{{{score}}} / {float(np.exp(scores[t]).sum()):.3f} = {weights[t, s]:.3f}",
    )
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def draw(result: CrossAttentionRoles, inputs: Inputs) -> None:
    """Draw the film; all heads are available in the browser."""
    seen, label = result.seen, LABELS["title"]
    n_layer, n_head, n_row, n_column = seen.cross.shape
    q, k, v, weights = (x.reshape(-1, *x.shape[2:]) for x in (seen.q, seen.k, seen.v, seen.cross))
    ui.mount_widget(
        "cross_film",
        weights=weights,
        q=q,
        k=k,
        v=v,
        rows=seen.reads,
        writes=seen.tokens,
        sure=seen.sure,
        columns=list(result.source.words),
        heads=[f"{layer}.{head}" for layer in range(n_layer) for head in range(n_head)],
        open=result.layer * n_head,
        start=min(1, n_row - 1),
        plain=not ui.depth_at_least("numbers"),
        scale=float(seen.scale),
        label=label,
        takeaway=LABELS("takeaway", title=label, n_row=n_row, n_column=n_column),
        key="roles-film",
    )
