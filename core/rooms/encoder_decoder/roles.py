"""Whose query, whose keys and values: the cross-attention as a film over the output tokens."""

import numpy as np

from core.nn.attention import MultiHeadAttention, attention_scores
from core.rooms.encoder_decoder.common import Sentence, Translator, ask, most_written, tell, translator
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record, weights_table
from core.rooms.encoder_decoder.cross_film_widget import cross_film
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit


@exhibit(
    title="Whose query, whose keys and values",
    look_for="who makes what. At each step the decoder's newest token asks with a new **query**, what it looks for. "
    "The encoder's tokens have **keys and values**, what they are found by and what they hand over, made only once.",
    try_this=[
        (
            "Press ▶, or step with the arrow keys, with head 1.0.",
            "The lines jump back and forth: the decoder writes in the order of Tamari and reads English, whose verb is "
            "in the middle.",
        ),
        (
            "Point at another source token on the right.",
            "Below is its own score: this step's query times that token's key. The key is the same at every step; only "
            "the query changes.",
            "numbers",
        ),
        (
            "Choose a head of the first layer.",
            "It has its own query, keys and values, and reads differently. No head was given a task.",
        ),
    ],
    code=(MultiHeadAttention.forward, attention_scores, record),
    formula=r"\begin{aligned} Q &= X_{\text{decoder}} W_Q & (T \times d_k) \\ K &= M_{\text{encoder}} W_K & "
    r"(S \times d_k) \\ V &= M_{\text{encoder}} W_V & (S \times d_k) \\ \text{out} &= \operatorname{softmax}\!\big(Q "
    r"K^\top / \sqrt{d_k}\big) V & (T \times d_k) \end{aligned}",
)
def roles() -> Shown | None:
    """The film, all heads of it in the browser."""
    model = translator()
    given = ask("roles_text", "the small red dog sees some white cats now")
    if model is None or given is None:
        return None
    seen = model.write(given.ids)
    tell(seen, given)
    names = languages.tokens(seen.written.tolist())
    layer = model.n_layer - 1
    cross_film(
        seen.cross,
        q=seen.q,
        k=seen.k,
        v=seen.v,
        scale=seen.scale,
        reads=languages.tokens(seen.fed.tolist()),
        writes=names,
        sure=[float(seen.probabilities[t, i]) for t, i in enumerate(seen.written)],
        sources=given.words,
        open_head=(layer, 0),
        start=min(1, len(names) - 1),
        plain=not depth.at_least("numbers"),
        key="roles-film",
        label="Who asks, and who answers",
    )
    return Shown(
        numbers=lambda: weights_table(
            seen.cross[layer, 0], names, given.words, first="source token", after=f", head {layer}.0"
        ),
        arrays={"q": seen.q, "k": seen.k, "v": seen.v, "scores": seen.scores, "weights": seen.cross},
        formula=_with_numbers(seen, layer),
        script=lambda: _script(model, given, layer),
    )


def _script(model: Translator, given: Sentence, layer: int) -> str:
    return scripts.script(
        """
        from core.rooms.encoder_decoder.compute import languages
        from core.data.csv_table import print_table
        from core.rooms.encoder_decoder.compute import cross_attention
        from core.train.experiment import record_of
        from core.rooms.encoder_decoder.experiments import translation

        model = translation.rebuilt($record, n_layer=$n_layer, n_head=$n_head)
        source = languages.encode($english)
        start, end = languages.START, languages.END
        seen = cross_attention.record(model, source, start_id=start, end_id=end, max_new_tokens=$most)

        # Queries (seen.q) from the decoder, keys (seen.k) from the encoder: a column for each token that is written.
        reads, writes = languages.tokens(source), languages.tokens(seen.written.tolist())
        weights = seen.cross[$layer, 0]
        print_table(cross_attention.weights_table(weights, writes, reads, first="source token", after=$after))
        """,
        **model.in_script(),
        english=given.english,
        most=most_written(len(given.ids)),
        layer=layer,
        after=f", head {layer}.0",
    )


def _with_numbers(seen: CrossAttentionRecord, layer: int) -> str:
    """The strongest score of the second output token, in the first head of the last layer."""
    t = min(1, len(seen.written) - 1)
    s = int(seen.cross[layer, 0, t].argmax())
    dot = float(seen.q[layer, 0, t] @ seen.k[layer, 0, s])
    d_head, total = seen.q.shape[-1], float(np.exp(seen.scores[layer, 0, t]).sum())
    lines = (
        rf"q_{{{t}}} \cdot k_{{{s}}} &= {dot:.3f}",
        rf"s_{{{t},{s}}} &= {dot:.3f} / \sqrt{{{d_head}}} = {dot * seen.scale:.3f}",
        rf"w_{{{t},{s}}} &= e^{{{dot * seen.scale:.3f}}} / {total:.3f} = {seen.cross[layer, 0, t, s]:.3f}",
    )
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"
