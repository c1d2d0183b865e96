"""The tree of a beam search on any model: candidates called, texts kept, finished texts set aside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.generate import beam, decode
from core.generate.beam import BeamResult, Hypothesis, Stopping
from core.inspect.model_and_text import ModelAndText
from core.rooms.beam.beam_tree_widget import beam_tree
from core.rooms.beam.compute.beam_table import candidate_table
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_inputs
from core.ui.text import escape_markdown

# After it the stories model's greedy search takes the likeliest word, and beam search finds a likelier sentence.
SENTENCE = "Ben and Anna played near the forest. Anna hid in the box. Ben looked under the tree. No Anna!"
MOST_TOKENS = 512  # of the prompt: each of up to 12 steps asks the model for up to 6 texts of this length
MOST_BEAMS, MOST_STEPS = 6, 12  # two boxes for each beam and step: more cannot be read
ENDS = {"stop": "full stop", "line": "line end", "none": "nothing"}
RULES = {"heuristic": "heuristic", "full": "enough texts finished", "never": "nothing better can come"}
_RULES: dict[str, Stopping] = {"heuristic": False, "full": True, "never": "never"}


@dataclass(frozen=True)
class Settings:
    """How to search; plain values, so that it is a key."""

    n_beam: int
    n_new: int
    length_penalty: float
    early_stopping: Stopping
    eos_id: int | None


def look_here() -> ModelAndText | None:
    """A decoder and a prompt."""
    with controls.defaults(text=SENTENCE):
        return pick_inputs(most=MOST_TOKENS)


@memoize(MAX_TRACES)
def searched(key: ModelKey, packed: str, settings: Settings) -> BeamResult:
    """The search on the model that the room looks at."""
    return beam.search(
        models.load(key).model,
        models.unpack(packed),
        settings.n_beam,
        settings.n_new,
        eos_id=settings.eos_id,
        length_penalty=settings.length_penalty,
        early_stopping=settings.early_stopping,
    )


@memoize(MAX_TRACES)
def greedily(key: ModelKey, packed: str, n_new: int, eos_id: int | None) -> tuple[tuple[int, ...], float]:
    """What greedy search writes on the same prompt: the new tokens, and their log-probability."""
    model = models.load(key).model
    steps = list(decode.generate(model, models.unpack(packed), n_new, greedy=True, eos_id=eos_id))
    # Of the softmax over all tokens: greedy search filters nothing.
    return tuple(int(step.token) for step in steps), float(sum(float(step.log_prob) for step in steps))


def end_token(names: Sequence[str], end: str) -> int | None:
    """The id of the token that is the full stop, or the line end; None if the vocabulary has none."""
    wanted = {"stop": (".", " ."), "line": ("\n",), "none": ()}[end]
    return next((names.index(sign) for sign in wanted if sign in names), None)


@exhibit(
    title="The tree, step by step",
    look_for="the strong path at the end, traced back: at some step it wasn't the best in its column. Greedy search, "
    "which keeps only one text, would have dropped it there.",
    try_this=[
        (
            "Go back to the start with ‹ or Home, then step through the search.",
            "Each step calls 2B candidates, out of all tokens after all kept texts, and keeps B. For the text you "
            "start with, keeping one isn't enough. Greedy search starts with the likeliest word, “Ben”, and must then "
            "pick one of many places for him to look. “Then he looked in the box.” starts with a less likely word, but "
            "after it nearly everything is certain.",
        ),
        (
            "Shorten the text to its first sentence. Move the length penalty from 0 to 1.",
            "The order of the finished texts changes. With 0, each further token lowers the sum, so shorter texts have "
            "an advantage; dividing by the length takes it away. With the model you start with, a text of 6 tokens "
            "wins at 0 and one of 7 at 1.",
        ),
        (
            "Choose “nothing” as the end.",
            "Now no text ends before the last step. All have the same length, so the length penalty changes no order.",
        ),
    ],
    code=(beam.beam_search, beam._search, beam._why_stop),
    formula=r"\text{score} = \frac{\sum_t \log p_t}{n^{\alpha}}",
)
def tree(looked: ModelAndText) -> Shown | None:
    """The controls, the film of the tree, the finished texts beside greedy's."""
    names = models.vocabulary(looked.key)
    settings = _ask(names)
    try:
        with models.patience(looked.key, "Searching …"):
            result = searched(looked.key, looked.encoded.packed, settings)
            greedy, greedy_log_prob = greedily(looked.key, looked.encoded.packed, settings.n_new, settings.eos_id)
    except ValueError as refused:  # a run whose weights have become nan
        st.error(escape_markdown(refused), icon=":material/broken_image:")
        return None
    n_prompt = len(looked.encoded.ids)
    content = content_key(looked.key, looked.encoded.packed, repr(settings))[:12]
    beam_tree(
        result,
        prompt=looked.encoded.tokens[-1],
        names=names,
        n_beam=settings.n_beam,
        n_prompt=n_prompt,
        length_penalty=settings.length_penalty,
        key=f"beam.tree:{looked.key}",
        greedy=(greedy, greedy_log_prob),
        content_id=content,
        label=f"{settings.n_beam} texts at once" if settings.n_beam > 1 else "One text at a time",
    )
    st.caption(_told(result, n_prompt, greedy, greedy_log_prob, settings))
    return Shown(
        numbers=lambda: candidate_table(result, names),
        arrays=lambda: _arrays(result),
        formula=_formula(result.hypotheses[0], n_prompt, settings.length_penalty),
        script=lambda: _script(looked, settings, names),
    )


def _ask(names: Sequence[str]) -> Settings:
    one, two, three = st.columns([1, 1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        n_beam = int(controls.slider("beam_b", "Beams (texts kept at once)", 1, MOST_BEAMS, 3, step=1))
    with two:
        n_new = int(
            controls.slider(
                "beam_steps", "New tokens", 1, MOST_STEPS, MOST_STEPS, step=1, help="At most: a text may end sooner."
            )
        )
    with three:
        penalty = controls.slider(
            "beam_penalty",
            "Length penalty",
            -1.0,
            2.0,
            1.0,
            step=0.25,
            help="The name misleads: the larger it is, the better for long texts. Other programs use other formulas "
            "under the same name.",
        )
    with st.container(horizontal=True):
        end = controls.segmented("beam_end", "What ends a text", list(ENDS), "stop", labels=ENDS)
        rule = controls.segmented(
            "beam_rule",
            "Stop when …",
            list(RULES),
            "heuristic",
            labels=RULES,
            help="“Enough texts finished” stops as soon as there are as many as beams. “Heuristic” goes on while the "
            "best unfinished text, scored at its present length, beats the worst finished one. “Nothing better can "
            "come” scores it at the longest length.",
        )
    eos_id = end_token(names, end)
    if end != "none" and eos_id is None:
        st.caption(f":material/info: This model has no token for the {ENDS[end]}, so nothing ends a text here.")
    return Settings(n_beam, n_new, float(penalty), _RULES[rule], eos_id)


def _told(result: BeamResult, n_prompt: int, greedy: Sequence[int], greedy_log_prob: float, settings: Settings) -> str:
    """How the search compares with greedy search, and what it looked at."""
    best = result.hypotheses[0]
    n_candidate = sum(step.n_candidate for step in result.tree)
    n_pass = 1 + sum(int(step.kept.sum()) for step in result.tree[:-1])
    cost = (
        f"{len(result.tree)} step{'s' * (len(result.tree) > 1)} asked the model about {n_pass} text"
        f"{'s' * (n_pass > 1)} and looked at {n_candidate:,} candidates; greedy search asked about {len(greedy)}."
    )
    if best.ids[n_prompt:] == tuple(greedy):
        return f"Greedy search writes the best text too. {cost}"
    gain = beam.normalized(best.log_prob, len(best.ids) - n_prompt, settings.length_penalty) - beam.normalized(
        greedy_log_prob, len(greedy), settings.length_penalty
    )
    if gain > 0:
        return f"The best text beats the greedy one by {gain:.3f} in score. {cost}"
    return f"The greedy text scores better here, by {-gain:.3f}: more beams guarantee nothing. {cost}"


def _formula(best: Hypothesis, n_prompt: int, penalty: float) -> str:
    n = len(best.ids) - n_prompt
    return rf"\text{{best}}: \quad \frac{{{best.log_prob:.3f}}}{{{n}^{{{penalty:g}}}}} = {best.score:.3f}"


def _script(looked: ModelAndText, settings: Settings, names: Sequence[str]) -> str:
    end = settings.eos_id
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.generate import beam
        from core.rooms.beam.compute.beam_table import candidate_table
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # At each step the 2B best of all ways to go on are called; what ends a text, and when it stops, is set here.
        end = $end
        result = beam.search(
            model,
            ids,
            n_beam=$n_beam,
            max_new_tokens=$n_new,
            eos_id=end,
            length_penalty=$penalty,
            early_stopping=$rule,
        )
        print_table(candidate_table(result, found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        end=None if end is None else scripts.Code(f"found.vocabulary.index({scripts.literal(names[end])})"),
        n_beam=settings.n_beam,
        n_new=settings.n_new,
        penalty=settings.length_penalty,
        rule=settings.early_stopping,
    )


def _arrays(result: BeamResult) -> dict[str, Any]:
    parts = ("parents", "tokens", "log_probs", "totals", "scores", "kept", "finished")
    return {f"step_{n}.{part}": getattr(step, part) for n, step in enumerate(result.tree, 1) for part in parts}
