"""A model with a thin update of rank 1: what it writes with more and more of it, and one matrix with its update."""

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Column, Inputs as Base, Result, Table, text_input
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.models import lora, pretrained
from core.rooms.adapters.compute.merged_model import continue_line, merged_model, next_token_probabilities
from core.rooms.adapters.experiments.adapters import MODEL, recorded_updates, split_lines
from core.rooms.adapters.inputs import STRENGTHS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "adapters"
RANK = 1
SHOWN_STRENGTHS = tuple(strength for strength in STRENGTHS if strength <= 1)
LAYER = 1
MATRIX = f"blocks.{LAYER}.attn.w_q"  # the one that is drawn
CODE = (lora.LoRA, lora.lora_update, lora.merge_updates)


class Inputs(Base, prefix="lora_thin_"):
    beginning: str = text_input("A cake was hungry. It", max_chars=60)


class ThinUpdate(Result):
    """The model at each of S strengths of the update, and one of its O x I matrices with its column and row."""

    line: str  # of the lines it learned from, the one most like the beginning
    n_line: int  # lines it learned from
    tokens: tuple[str, ...]  # the most probable next token without the update, and with the whole of it if it differs
    probabilities: Float[NDArray[np.float64], "S N"]  # of these tokens
    texts: tuple[str, ...]  # what it writes after the beginning, at each strength
    frozen: Float[NDArray[np.float32], "O I"]
    column: Float[NDArray[np.float32], " O"]
    row: Float[NDArray[np.float32], " I"]
    n_update: int  # numbers of the updates of all matrices
    n_matrix: int  # matrices with an update
    n_all: int  # numbers of the model

    @property
    def largest(self) -> int:
        """The place of the update's largest number when its rows are laid end to end."""
        return int(np.outer(self.column, self.row).argmax())

    def table(self) -> Table:
        """Return one row for each strength."""
        found: dict[str, Column] = {
            LABELS["table.strength"]: [*SHOWN_STRENGTHS],
            LABELS["table.text"]: [*self.texts],
        }
        return found | {token: self.probabilities[:, i].round(5).tolist() for i, token in enumerate(self.tokens)}


def most_similar_line(lines: list[str], beginning: str) -> str:
    """Return the line that shares the most words with a beginning, the first one of several."""
    words = set(beginning.split())
    return max(lines, key=lambda line: len(words & set(line.split())))


def compute(inputs: Inputs, run: ExperimentRun) -> ThinUpdate:
    """Continue the beginning with more and more of the update of rank 1, and take one matrix with its update."""
    models = [merged_model(run, RANK, strength) for strength in SHOWN_STRENGTHS]
    p = np.stack([next_token_probabilities(one, inputs.beginning) for one in models])
    tokens = list(dict.fromkeys(int(i) for i in p[[0, -1]].argmax(-1)))
    names = model_vocabulary(ModelKey.at("stories"))
    updates = recorded_updates(run.record, RANK)
    up, down = updates[MATRIX]
    original = pretrained.load(MODEL).model
    lines = split_lines(str(run.options["text"]))[0]
    return ThinUpdate(
        line=most_similar_line(lines, inputs.beginning),
        n_line=len(lines),
        tokens=tuple(names[i] for i in tokens),
        probabilities=p[:, tokens],
        texts=tuple(continue_line(one, inputs.beginning, run.seed).removeprefix(inputs.beginning) for one in models),
        frozen=original.get_submodule(MATRIX).weight.detach().numpy(),  # type: ignore[operator]
        column=(lora.ALPHA / RANK * up[:, 0]).numpy(),
        row=down[0].numpy(),
        n_update=sum(one.numel() for pair in updates.values() for one in pair),
        n_matrix=len(updates),
        n_all=sum(w.numel() for w in original.parameters()),
    )


def draw(result: ThinUpdate, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the two texts, and the frozen matrix with its update."""
    ui.mount_widget(
        "thin_update",
        key="thin-update",
        beginning=inputs.beginning.strip(),
        line=result.line,
        n_line=result.n_line,
        strengths=SHOWN_STRENGTHS,
        texts=[text.strip() for text in result.texts],
        tokens=result.tokens,
        p=result.probabilities.astype(np.float32),
        frozen=result.frozen.astype(np.float16),
        column=result.column.astype(np.float32),
        row=result.row.astype(np.float32),
        largest=result.largest,
        n_update=result.n_update,
        n_matrix=result.n_matrix,
        n_all=result.n_all,
        takeaway=LABELS["takeaway"],
        height=440,
    )
