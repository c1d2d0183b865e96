"""Activation patching: one vector of a run is patched into another run, and the change in the answer measured."""

from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, referents
from core.exhibit import (
    MAX_TRACES,
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    memoize,
    segmented_control,
    select,
    slider,
)
from core.inspect import patch
from core.rooms.circuits.compute import pronoun_patching
from core.rooms.circuits.compute.pronoun_patching import DONORS, MODELS, N_STREAM, Patches, recorded_model
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "explanation"
SENTENCES = {
    "bottle cup": "bottle, cup",
    "jug pot": "jug, pot",
    "vase glass": "vase, glass",
    "bowl bucket": "bowl, bucket",
}
MIDDLE = 1  # the site after layer 0
MOST_SITES = 13  # for a model with four heads
DIRECTIONS = ("enough", "needed")
STORY, ALL = 120, 420  # the maximum height of the cells, in css pixels
CODE = (pronoun_patching.patch_every_vector, patch.patch, patch.run_patched, patch.Site)


class Inputs(Base, prefix="patch_"):
    guess: str = guess_control(
        ("ending", "it", "noun", "none"),
    )
    whose: str = segmented_control(DONORS, "twin", view=ViewChoice())
    model: str = segmented_control({name: LABELS("model.option", name=name) for name in MODELS}, "a", view=ViewChoice())
    site: int = slider(0, MOST_SITES - 1, MIDDLE, view=ViewChoice(is_drawn=False))
    nouns: str = select(SENTENCES, "bottle cup")
    place: int = slider(0, referents.N_TOKEN - 1, referents.FIRST_POSITION, view=ViewChoice(is_drawn=False))


class Patching(Result):
    """Every single patch, in each of three models."""

    is_told: bool  # before a guess, the effects of the vectors after layer 0 are hidden
    swaps: dict[str, Patches]
    names: tuple[str, ...]  # of the sites
    tokens: tuple[str, ...]  # of the clean sentence
    places: list[str]  # the words of both sentences
    averages: dict[str, tuple[float, float]]  # mean effect of the first noun's vector after layer 0, held-out pairs
    outcome: GuessOutcome

    def turning(self, model: str, into: int = 0) -> list[str]:
        """Return the words whose single vector after layer 0 flips the answer."""
        return [self.tokens[at] for at in self.swaps[model].flips(into, MIDDLE)]

    def at_noun(self, model: str, whose: int, into: int = 0) -> float:
        """Return the share at the first noun, after layer 0."""
        return float(self.swaps[model].share[into, whose, MIDDLE, referents.FIRST_POSITION])

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the shares of each model."""
        return {name: one.share for name, one in self.swaps.items()}

    def table(self) -> Table:
        """Return one row for each patch between the two sentences."""
        rows = [
            (
                model,
                LABELS.options("direction", *DIRECTIONS)[DIRECTIONS[into]],
                self.names[site],
                self.tokens[place],
                float(values.round(4)),
                NOUNS[one.said[into, 0, site, place]],
            )
            for model, one in self.swaps.items()
            for (into, site, place), values in np.ndenumerate(one.share[:, 0])
        ]
        names = (
            LABELS["table.model"],
            LABELS["table.direction"],
            LABELS["vector_axis"],
            LABELS["place_axis"],
            LABELS["effect"],
            LABELS["table.answer"],
        )
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@memoize(MAX_TRACES)
def _model_patches(run: ExperimentRun, model: str, first: str, second: str) -> Patches:
    """Return all patches in one model."""
    return pronoun_patching.patch_every_vector(recorded_model(run, model), first, second)


@memoize(MAX_TRACES)
def _mean_effects(run: ExperimentRun, model: str) -> tuple[float, float]:
    """Return the mean effect of the first noun's vector after layer 0, sufficient and necessary."""
    return pronoun_patching.held_out_shares(recorded_model(run, model), run.seed, MIDDLE, referents.FIRST_POSITION)


def compute(inputs: Inputs, run: ExperimentRun) -> Patching:
    """Patch each vector of each run into the other run, one at a time."""
    first, second = inputs.nouns.split()
    names = tuple(site.name for site in pronoun_patching.patch_sites(recorded_model(run, MODELS[0])))
    tokens = referents.sentence_tokens(pronoun_patching.sentence_pair(first, second)[1])
    both = f"{pronoun_patching.CLEAN}/{pronoun_patching.CORRUPTED}"
    swaps = {name: _model_patches(run, name, first, second) for name in MODELS}
    kinds = {
        referents.ENDING_POSITION: "ending",
        referents.IT_POSITION: "it",
        referents.FIRST_POSITION: "noun",
        referents.SECOND_POSITION: "noun",
    }
    turning = swaps[MODELS[0]].flips(0, MIDDLE)
    turns = [LABELS("turns_at", token=tokens[at]) for at in turning] or [LABELS["turns_nowhere"]]
    text = reduce(lambda first, second: LABELS("turns_both", first=first, second=second), turns)
    return Patching(
        is_told=inputs.guess != NOT_YET,
        swaps=swaps,
        names=names,
        tokens=tokens,
        places=[both if at == referents.ENDING_POSITION else word for at, word in enumerate(tokens)],
        averages={name: _mean_effects(run, name) for name in MODELS},
        outcome=GuessOutcome(kinds.get(int(turning[0]), "") if len(turning) else "none", text),
    )


def draw(result: Patching, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw both directions of patching, and report the flips, the control and the selected cell."""
    n_site = len(result.names) if ui.depth_at_least("numbers") else N_STREAM
    shares = np.stack([one.share for one in result.swaps.values()])[..., :n_site, :].copy()  # (M, 2, W, N, T)
    if not result.is_told:
        shares[..., MIDDLE:, :] = np.nan
        shares[..., N_STREAM - 1, :] = np.stack([one.share[..., N_STREAM - 1, :] for one in result.swaps.values()])
    cell = {"row": ui.choice_ref(inputs.site).name, "column": ui.choice_ref(inputs.place).name}
    for into, name in enumerate(DIRECTIONS):
        ending = (pronoun_patching.CORRUPTED, pronoun_patching.CLEAN)[into]
        ui.matrix(
            ui.select_by_choice(shares[:, into], inputs.model, inputs.whose),
            rows=[
                LABELS("layer", layer=i - 1) if 0 < i < N_STREAM else name
                for i, name in enumerate(result.names[:n_site])
            ],
            columns=[ending if at == referents.ENDING_POSITION else word for at, word in enumerate(result.tokens)],
            kind="signed",
            limits=(-1.0, 1.0),
            row_title=LABELS["vector_axis"],
            column_title=LABELS["place_axis"],
            value_title=LABELS["effect.title"],
            empty_title=LABELS["hidden"],
            selected=(ui.choice_ref(inputs.site), ui.choice_ref(inputs.place)) if result.is_told else None,
            click_sets=cell if result.is_told else None,
            key=f"patch-{name}-{inputs.nouns}-{n_site}-{result.is_told}",
            label=ui.section_text(name),
            height=STORY if n_site == N_STREAM else ALL,
        )
    if not result.is_told:
        return
    at = np.minimum(np.arange(MOST_SITES), len(result.names) - 1)
    answers, along = dict[str, object](), (inputs.model, inputs.whose, inputs.site, inputs.place)
    for into, name in enumerate(DIRECTIONS):
        said = np.stack([one.said[into][:, at] for one in result.swaps.values()])
        answers[f"{name}_said"] = ui.select_by_choice(np.array(NOUNS, object)[said].tolist(), *along)
        answers[f"{name}_p"] = ui.select_by_choice(
            np.stack([one.p[into][:, at] for one in result.swaps.values()]).round(3), *along
        )
    ui.add_template_values(
        ui.for_each_option(partial(_facts, result), inputs.model, inputs.whose),
        site=ui.select_by_choice([result.names[i] for i in at], inputs.site),
        place=ui.select_by_choice(result.places, inputs.place),
        **answers,
    )


def _facts(result: Patching, model: str, whose: str) -> dict[str, object]:
    """Return facts about one model: the words that flip the answer, the averages, and the effects of a donor."""
    found, donor = result.swaps[model], [*DONORS].index(whose)
    return {
        "name": model,
        "enough": result.turning(model),
        "needed": result.turning(model, 1),
        "both": result.averages[model],
        "whose": whose,
        "by": result.at_noun(model, donor),
        "most": float(np.abs(found.share[:, donor]).max()),
        "turned": len(found.flips(0, MIDDLE, donor)) > 0,
    }
