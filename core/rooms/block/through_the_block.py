"""The vectors that a block adds to a token's own, and how far each sum points to the next token."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.inspect.logit_lens import readout_logits
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.nn.block import Block
from core.rooms.block.compute import moments, residual_stream
from core.rooms.block.compute.readout import BlockReadout, cached_block_readout
from core.rooms.block.compute.residual_stream import BlockRecord
from core.rooms.block.inputs import BlockTokenInputs

LABELS = module_labels(__name__)
KINDS = LABELS.options("kind", "stream", "norm") | {"write": LABELS["kind.stream"]}
BEFORE_ITS_NORM = LABELS.options("kind", "made")  # for models that normalize a part's output
N_BEFORE = 8  # tokens of the text before the one that is followed
WARM_UP = True
CODE = (Block.forward, residual_stream.record_block, readout_logits)


class Inputs(BlockTokenInputs):
    """A token in a block."""


class PartOutput(NamedTuple):
    """A vector that a part of the block writes at the token, with its length, the stream's, and their cosine."""

    part: str  # one of `residual_stream.PARTS`
    length: float
    stream: float
    cosine: float

    @property
    def ratio(self) -> float:
        """Its length relative to the stream's."""
        return self.length / self.stream


class TokenInBlock(Result):
    """One token at every stage of a block."""

    block: BlockRecord
    token: int
    vectors: dict[str, NDArray[np.float32]]  # stage -> (D,)
    lengths: dict[str, float]  # stage -> the Euclidean length of its vector
    writes: list[PartOutput]  # the outputs of attention and of feed-forward
    # the next token that the model expects here, and its score and chance in each row of the stream, from the first
    # on; "" and empty for a model that can't be read out
    expected: str
    scores: list[float]
    chances: list[float]

    @cached_property
    def formula(self) -> str:
        """The order of norm and sum in this block, and the length of the sum from two lengths and an angle."""
        block, style, lines, source = self.block, self.block.style, [], "x"
        for part, target in ((r"\mathrm{Attn}", "x'"), (r"\mathrm{FF}", "x''"))[: len(block.sums)]:
            path, read = f"{source} + " if style.residual else "", "x" if style.parallel else source
            written = rf"{part}(\mathrm{{norm}}({read}))" if style.norm_first else f"{part}({read})"
            written = path + (rf"\mathrm{{norm}}({written})" if style.norm_out else written)
            lines.append(f"{target} = " + (rf"\mathrm{{norm}}({written})" if style.post_norm else written))
            source = target
        if block.is_sum:
            _, b, a, cosine = self.writes[0]
            c = list(self.lengths.values())[block.sums[0][2]]
            lines.append(rf"\lVert x' \rVert^2 = {a:.2f}^2 + {b:.2f}^2")
            lines.append(rf"{{}} + 2 \cdot {a:.2f} \cdot {b:.2f} \cdot ({cosine:.3f}) = {c:.2f}^2")
        return r"\begin{gathered} " + r" \\ ".join(lines) + r" \end{gathered}"

    def table(self) -> Table:
        """Return one column for each stage, with one row for each number of the vector."""
        return self.vectors


def token_in_block(
    block: BlockRecord, token: int, readout: BlockReadout | None = None, vocabulary: Sequence[str] = ()
) -> TokenInBlock:
    """Return one token of a text in a block, with its vectors, the parts' outputs, and the readout of its sums."""
    vectors = {stage.name: stage.vectors[token] for stage in block.stages}
    lengths = {name: float(np.linalg.norm(vector)) for name, vector in vectors.items()}
    names = list(vectors)
    writes = [
        PartOutput(
            part,
            lengths[names[written]],
            lengths[names[before]],
            residual_stream.cosine_similarity(vectors[names[before]], vectors[names[written]]),
        )
        for part, (before, written, _) in zip(residual_stream.PARTS, block.sums, strict=False)
    ]
    return TokenInBlock(
        block=block,
        token=token,
        vectors=vectors,
        lengths=lengths,
        writes=writes,
        expected=vocabulary[readout.expected[token]] if readout else "",
        scores=readout.scores[token].tolist() if readout else [],
        chances=readout.chances[token].tolist() if readout else [],
    )


def _in_layer(given: ModelAndText, layer: int, token: int) -> TokenInBlock:
    block, readout = residual_stream.cached_block_record(given, layer), cached_block_readout(given, layer)
    return token_in_block(block, token, readout, given.vocabulary)


def compute(inputs: Inputs) -> TokenInBlock:
    """Return the token at every stage of the block."""
    return _in_layer(inputs.given, inputs.layer, inputs.token)


def draw(result: TokenInBlock, inputs: Inputs) -> None:
    """Draw what the block adds, and its sums read out; from Numbers on all stages, with means and variances."""
    places = ui.for_each_option(partial(_in_layer, inputs.given), inputs.layer, inputs.token)
    ui.add_template_values(places)
    if result.chances:
        _draw_sums(result, places, inputs)
    if not result.chances or ui.depth_at_least("numbers"):
        ui.draw_vector_rows(
            ui.map_choices(_strips, places),
            key=f"way.{inputs.content}",
            kinds=KINDS | (BEFORE_ITS_NORM if result.block.style.norm_out else {}),
            label=ui.for_each_option(
                lambda layer, token: LABELS("token_in_layer", token=token, layer=layer), inputs.layer, inputs.token
            ),
            takeaway=ui.map_choices(_takeaway, places),
        )
    if ui.depth_at_least("numbers"):
        blocks = ui.for_each_option(partial(residual_stream.cached_block_record, inputs.given), inputs.layer)
        ui.show_text_by_choice("moments", ui.map_choices(lambda block: _moments(block, inputs.token), blocks))


def _draw_sums(result: TokenInBlock, places: object, inputs: Inputs) -> None:
    """Draw the stream, what each part adds to it, and the sums, which the browser adds up."""
    given = inputs.given
    ui.mount_widget(
        "added_vectors",
        key=f"added.{inputs.content}",
        height=420,
        values=ui.pad_stack(ui.map_choices(_added, places)),
        words=ui.for_each_option(lambda token: given.tokens[token], inputs.token),
        before=ui.for_each_option(lambda token: text_before(given.tokens, token), inputs.token),
        example=ui.map_choices(lambda one: telling_number(_added(one)), places),
        is_read_out=ui.depth_at_least("numbers"),
        parts=[write.part for write in result.writes],
        expected=ui.map_choices(lambda one: one.expected, places),
        scores=ui.map_choices(lambda one: [round(score, 2) for score in one.scores], places),
        chances=ui.map_choices(lambda one: [round(chance, 6) for chance in one.chances], places),
        n_vocabulary=len(given.vocabulary),
        norm_first=result.block.style.norm_first,
        parallel=bool(result.block.style.parallel),
        takeaway=ui.map_choices(_takeaway, places),
    )


def _added(one: TokenInBlock) -> NDArray[np.float16]:
    """Return what enters, and what each of the n parts adds: (1 + n, D)."""
    sums, stages = one.block.sums, one.block.stages
    rows = [sums[0][0], *(written for _, written, _ in sums)]
    return np.stack([stages[place].vectors[one.token] for place in rows]).astype(np.float16)


def text_before(tokens: Sequence[str], token: int) -> str:
    """Return the end of the text before a token on one line, with a space at its end where the two are apart."""
    start = max(0, token - N_BEFORE)
    text = "".join(tokens[start:token])
    is_apart = text[-1:].isspace() or tokens[token][:1].isspace()
    return ("… " if start else "") + " ".join(text.split()) + (" " if text and is_apart else "")


def telling_number(added: NDArray[np.float16]) -> int:
    """Return the number, 0..D-1, by which the sums can be followed best in what enters and is added (1 + n, D).

    Its values are far from 0, and add up also with the two decimals that are shown, if there is such a number.
    """
    parts = added.astype(np.float64)
    sums, shown = parts.cumsum(0), parts.round(2)
    is_exact = (np.abs(sums[:-1].round(2) + shown[1:] - sums[1:].round(2)) < 0.005).all(0)
    farness = np.minimum(np.abs(parts), np.abs(sums)).min(0)
    return int(np.lexsort((farness, is_exact))[-1])


def _strips(one: TokenInBlock) -> list["ui.VectorRow"]:
    block = one.block
    sums = {after: (before, written) for before, written, after in block.sums if block.is_sum}
    return [
        ui.VectorRow(stage.name, stage.kind, stage.vectors[one.token], sums.get(place))
        for place, stage in enumerate(block.stages)
    ]


def _takeaway(one: TokenInBlock) -> str:
    lengths, last = list(one.lengths.values()), one.block.sums[-1][2]
    return LABELS("takeaway", token=one.token, layer=one.block.layer, enters=lengths[0], leaves=lengths[last])


def _moments(block: BlockRecord, token: int) -> dict[str, object]:
    """Return mean, variance and skew at each stage, indexed by token."""
    found = [(stage, vars(moments.compute_moments(stage.vectors.astype(np.float64)))) for stage in block.stages]
    return {
        "stages": [
            (stage, {name: ui.select_by_choice(values, token) for name, values in of.items()}) for stage, of in found
        ]
    }
