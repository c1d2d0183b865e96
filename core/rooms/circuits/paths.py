"""Path patching: which input of which head carries the first layer's output to the second."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, segmented_control
from core.inspect import patch
from core.inspect.patch import Site, layer_and_head_counts, recovered_fraction, residual_sites, run_patched, run_traced
from core.nn.tap import Trace
from core.train.experiment import rebuild_model
from core.train.experiments import experiment_module
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_PROMPT = 64
PERIOD, QUERY, SWAP = 8, 2, 5  # tokens before the repeat, the queried one, and the one it is swapped with
LETTERS = "ABCDEFGH"
INPUTS = ("q", "k", "v")
INPUT_NAMES = {"q": "Q", "k": "K", "v": "V"}


@dataclass(frozen=True)
class SwappedPrompts:
    """Pairs of texts that differ in two positions, and the token that follows the last one in each."""

    clean: Int[Tensor, "N T"]
    corrupted: Int[Tensor, "N T"]  # ASKED and OTHER are swapped in the first pass
    right: Int[Tensor, " N"]  # the token after ASKED in the first pass, in the clean text
    wrong: Int[Tensor, " N"]  # the same in the corrupted text

    def difference(self, logits: Float[Tensor, "N ... V"]) -> Float[Tensor, "N ..."]:
        """Return the logit of the right token minus that of the wrong one."""
        rows = torch.arange(len(self.right))
        return logits[rows, ..., self.right] - logits[rows, ..., self.wrong]


def sample_prompts(vocab_size: int, seed: int, n: int = N_PROMPT) -> SwappedPrompts:
    """Sample random texts of eight different tokens, followed by the first of them again."""
    generator = torch.Generator().manual_seed(seed)
    once = torch.rand(n, vocab_size, generator=generator).argsort(-1)[:, :PERIOD]
    exchanged = once.clone()
    exchanged[:, [QUERY, SWAP]] = once[:, [SWAP, QUERY]]
    again = once[:, : QUERY + 1]
    return SwappedPrompts(
        torch.cat([once, again], 1), torch.cat([exchanged, again], 1), once[:, QUERY + 1], once[:, SWAP + 1]
    )


@dataclass(frozen=True)
class PatchedPaths:
    """Means over the texts. The first axis: clean into corrupted (sufficient?), the other way (necessary?)."""

    places: NDArray[np.float32]  # (2, 3, T) recovered share, by site of the stream and position
    # (2, H, 3 H + 1) from each head of layer 0 into Q, K, V of each head of layer 1, and directly to the output
    paths: NDArray[np.float32]
    together: NDArray[np.float32]  # (2, H, 3) into Q, K or V of all heads of layer 1 at once
    right: float  # accuracy on the clean texts
    previous: NDArray[np.float32]  # (H,) mean weight of each head of layer 0 on the token before


def patch_paths(model: nn.Module, prompts: SwappedPrompts) -> PatchedPaths:
    """Patch every vector of the stream once, and every path between two heads."""
    texts = (prompts.corrupted, prompts.clean)
    runs = [run_traced(model, ids) for ids in texts]
    before = [prompts.difference(one["logits"][:, -1]) for one in runs]
    _, n_head = layer_and_head_counts(model)
    places, paths, together = [], [], []
    for into, ids in enumerate(texts):
        own, other = runs[into], runs[1 - into]

        def moved(after: Trace, into: int = into) -> Tensor:
            return recovered_fraction(prompts.difference(after["logits"][:, -1]), before[into], before[1 - into]).mean()

        places.append(
            torch.tensor(
                [
                    [moved(run_patched(model, ids, [(site.at(at), other[site.key])])) for at in range(ids.shape[1])]
                    for site in residual_sites(model)
                ]
            )
        )
        for head in range(n_head):
            single = [
                moved(run_through_path(model, ids, other, head, [reader]))
                for one in range(n_head)
                for reader in head_inputs([one])
            ]
            single.append(moved(run_through_path(model, ids, other, head, [], own=own)))
            paths.append(torch.stack(single))
            by_name = [head_inputs(range(n_head), name) for name in INPUTS]
            together.append(torch.stack([moved(run_through_path(model, ids, other, head, some)) for some in by_name]))
    weights = runs[1]["weights", 0]  # (N, H, T, T)
    return PatchedPaths(
        places=torch.stack(places).numpy(),
        paths=torch.stack(paths).unflatten(0, (2, n_head)).numpy(),
        together=torch.stack(together).unflatten(0, (2, n_head)).numpy(),
        right=float((runs[1]["logits"][:, -1].argmax(-1) == prompts.right).float().mean()),
        previous=weights.diagonal(-1, 2, 3).mean((0, 2)).numpy(),
    )


def head_inputs(heads: Iterable[int], names: Iterable[str] = INPUTS) -> list[Site]:
    """Return the sites of Q, K and V, or of some of these, for heads of layer 1."""
    return [Site(f"blocks.1.attn.{name}", head=head) for head in heads for name in names]


def run_through_path(
    model: nn.Module,
    ids: Int[Tensor, "N T"],
    other: Trace,
    head: int,
    readers: Iterable[Site],
    own: Trace | None = None,
) -> Trace:
    """Run the model so that only some readers see a head's output of layer 0 from another run.

    Args:
        other: the run that provides the head's output.
        readers: inputs of heads of layer 1 that read the changed stream; all others read the unchanged one.
        own: the plain run of `ids`, if the output layer should read the changed stream, too.

    Source: Wang et al. 2022 (2211.00593), appendix B (path patching); Elhage et al. 2021 (Q-, K- and V-composition).
    """
    sender = Site("blocks.0.attn.heads", head=head)
    sent = (sender, other[sender.key])
    changed = run_patched(model, ids, [sent])
    received = [(reader, changed[reader.key]) for reader in readers]
    if own is None:
        return run_patched(model, ids, received)
    unchanged = [(Site(f"blocks.1.attn.{name}"), own[name, 1]) for name in INPUTS]
    return run_patched(model, ids, [sent, *unchanged, *received])


TRAINED = "induction"
SITES = (LABELS["site.embedding"], LABELS["site.0"], LABELS["site.1"])
DIRECTION_NAMES = {"enough": LABELS["direction.enough"], "needed": LABELS["direction.needed"]}
CODE = (run_through_path, patch_paths, patch.run_patched, patch.recovered_fraction)


class Inputs(Base, prefix="path_"):
    into: str = segmented_control(DIRECTION_NAMES, "enough", view=ViewChoice())


class PathEffects(Result):
    """The effects of positions and paths, averaged over texts."""

    found: PatchedPaths
    n_prompt: int
    letters: str
    writer: int  # the previous-token head: it attends most to the token before
    senders: list[str]
    readers: list[str]  # inputs of the heads of layer 1, and the output
    places: list[str]  # the eight tokens of both texts, followed by the first ones again
    most_else: float  # the largest absolute effect of a path other than from the writer into a K

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {"places": self.found.places, "paths": self.found.paths, "together": self.found.together}

    def table(self) -> Table:
        """Return one row for each path."""
        enough, needed = self.found.paths.round(4).reshape(2, -1).tolist()
        return {
            LABELS["table.from"]: [LABELS("head_number", head=one) for one in self.senders for _ in self.readers],
            LABELS["table.into"]: self.readers * len(self.senders),
            LABELS["table.enough"]: enough,
            LABELS["table.needed"]: needed,
        }


def compute(inputs: Inputs, run: ExperimentRun) -> PathEffects:
    """Run the two-layer model on random texts, patching every position and path."""
    task = experiment_module(TRAINED)
    model = rebuild_model(run.record, "two", task.config(2, int(run.options["n_head"])))
    found = patch_paths(model, sample_prompts(task.VOCAB_SIZE, run.seed))
    n_head, writer = len(found.previous), int(found.previous.argmax())
    others = np.abs(found.paths).copy()
    others[:, writer, 1 : 3 * n_head : 3] = 0
    both = {QUERY: SWAP, SWAP: QUERY}
    once = [f"{one}/{LETTERS[both[i]]}" if i in both else one for i, one in enumerate(LETTERS)]
    return PathEffects(
        found=found,
        n_prompt=N_PROMPT,
        letters=LETTERS,
        writer=writer,
        senders=[f"0.{head}" for head in range(n_head)],
        readers=[*(f"{INPUT_NAMES[name]} 1.{head}" for head in range(n_head) for name in INPUTS), LABELS["output"]],
        places=[*once, *LETTERS[: QUERY + 1]],
        most_else=float(others.max()),
    )


def draw(result: PathEffects, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the effect of each position after each layer, and of each path."""
    found = result.found
    for name, values, rows, columns, titles in (
        ("places", found.places, SITES, result.places, (LABELS["vector"], LABELS["place"])),
        ("paths", found.paths, result.senders, result.readers, (LABELS["head"], LABELS["reader"])),
    ):
        ui.matrix(
            ui.select_by_choice(values, inputs.into),
            rows=rows,
            columns=columns,
            kind="signed",
            limits=(-1.0, 1.0),
            row_title=titles[0],
            column_title=titles[1],
            value_title=LABELS["effect"],
            key=f"path-{name}-{len(result.senders)}",
            label=ui.section_text(name),
        )
    both = [
        {name: round(float(one[result.writer, i]), 2) + 0.0 for i, name in enumerate(INPUTS)} for one in found.together
    ]
    ui.add_template_values(ui.select_by_choice(both, inputs.into))
