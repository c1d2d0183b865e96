"""Activation patching: one vector of a run is patched into another run, and the change in the answer measured."""

from functools import partial, reduce
from typing import Any

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


def is_guessed(inputs: Any) -> bool:
    """Return whether the guess is made, or given up."""
    return bool(inputs.guess != NOT_YET)


class Inputs(Base, prefix="patch_"):
    guess: str = guess_control(("it", "noun", "none"))
    nouns: str = select(SENTENCES, "bottle cup")
    model: str = segmented_control(
        {name: LABELS("model.option", name=name) for name in MODELS}, "a", when=is_guessed, view=ViewChoice()
    )
    whose: str = segmented_control(DONORS, "twin", when=is_guessed, view=ViewChoice())
    site: int = slider(0, MOST_SITES - 1, MIDDLE, view=ViewChoice(is_drawn=False))
    place: int = slider(0, referents.N_TOKEN - 1, referents.ENDING_POSITION, view=ViewChoice(is_drawn=False))


class Patching(Result):
    """Every single patch, in each of three models."""

    is_told: bool  # before a guess, the effects of the vectors after layer 0 are hidden
    width: int  # numbers in a vector
    swaps: dict[str, Patches]
    names: tuple[str, ...]  # of the sites
    tokens: tuple[str, ...]  # of the clean sentence
    places: list[str]  # the words of both sentences
    averages: dict[str, tuple[float, float]]  # mean effect of the first noun's vector after layer 0, held-out pairs
    outcome: GuessOutcome

    def writer(self, model: str) -> dict[str, object]:
        """Return the part whose output at the first noun moves the answer most, and how far."""
        parts = self.swaps[model].share[0, 0, N_STREAM:, referents.FIRST_POSITION]
        return {"name": self.names[N_STREAM + int(parts.argmax())], "share": float(parts.max())}

    def turning(self, model: str, into: int = 0) -> list[str]:
        """Return the words whose single vector after layer 0 flips the answer."""
        return [self.tokens[at] for at in self.swaps[model].flips(into, MIDDLE)]

    def carrier(self, model: str, whose: int, site: int) -> int:
        """Return the only place whose vector flips the answer of the “empty” run; -1 if none or several do."""
        flips = self.swaps[model].flips(0, site, whose)
        return int(flips[0]) if len(flips) == 1 else -1

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
        referents.IT_POSITION: "it",
        referents.FIRST_POSITION: "noun",
        referents.SECOND_POSITION: "noun",
    }
    turning = swaps[MODELS[0]].flips(0, MIDDLE)
    turns = [LABELS("turns_at", token=tokens[at]) for at in turning] or [LABELS["turns_nowhere"]]
    text = reduce(lambda first, second: LABELS("turns_both", first=first, second=second), turns)
    return Patching(
        is_told=is_guessed(inputs),
        width=recorded_model(run, MODELS[0]).config.d_model,
        swaps=swaps,
        names=names,
        tokens=tokens,
        places=[both if at == referents.ENDING_POSITION else word for at, word in enumerate(tokens)],
        averages={name: _mean_effects(run, name) for name in MODELS},
        outcome=GuessOutcome(kinds.get(int(turning[0]), "") if len(turning) else "none", text),
    )


def draw(result: Patching, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw one copied vector; after the guess all of them, in both directions, with the selected one in numbers."""
    _one_vector(result, inputs)
    if not result.is_told:
        return
    n_site = len(result.names) if ui.depth_at_least("numbers") else N_STREAM
    shares = np.stack([one.share for one in result.swaps.values()])[..., :n_site, :]  # (M, 2, W, N, T)
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
            selected=(ui.choice_ref(inputs.site), ui.choice_ref(inputs.place)),
            click_sets=cell,
            key=f"patch-{name}-{inputs.nouns}-{n_site}",
            label=ui.section_text(name),
            height=STORY if n_site == N_STREAM else ALL,
        )
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


def _one_vector(result: Patching, inputs: Inputs) -> None:
    """Draw both runs, and the one vector of the chosen word that is copied into the second."""
    found = [*result.swaps.values()]
    said, p = (np.stack([getattr(one, name)[0, :, :N_STREAM] for one in found]) for name in ("said", "p"))
    carriers = np.array(
        [[[result.carrier(model, w, i) for i in range(N_STREAM)] for w in range(len(DONORS))] for model in MODELS]
    )
    if not result.is_told:  # the answer stays on the server
        others = np.arange(referents.N_TOKEN) != referents.ENDING_POSITION
        said[:, :, MIDDLE, others], p[:, :, MIDDLE, others], carriers[..., MIDDLE] = 0, 0, -1

    def chosen(values: NDArray[Any], *choices: object) -> object:
        """Index values by choices, which the page doesn't have before the guess."""
        return ui.select_by_choice(values, *choices) if result.is_told else values[(0,) * len(choices)]

    corrupted, clean = pronoun_patching.sentence_pair(*inputs.nouns.split())
    other = pronoun_patching.stranger_sentences([corrupted])[0]
    sources = {"twin": clean, "stranger": other, "own": corrupted}
    ui.mount_widget(
        "one_vector",
        key="patch-one-vector",
        sources={name: referents.sentence_tokens(one) for name, one in sources.items()},
        it=referents.IT_POSITION,
        ending=referents.ENDING_POSITION,
        nouns=NOUNS,
        pair=(corrupted.first, corrupted.second),
        n_stage=N_STREAM,
        is_told=result.is_told,
        whose=inputs.whose,
        site=inputs.site,
        place=inputs.place,
        said=chosen(said, inputs.model, inputs.whose),
        p=chosen(p, inputs.model, inputs.whose),
        carriers=chosen(carriers, inputs.model, inputs.whose),
        before=chosen(np.stack([one.before for one in found]), inputs.model),
        click_sets={"site": inputs.site, "place": inputs.place},
        takeaway=LABELS["one_vector"],
        height=420,
    )


def _facts(result: Patching, model: str, whose: str) -> dict[str, object]:
    """Return facts about one model: the words that flip the answer, the averages, and the effects of a donor."""
    found, donor = result.swaps[model], [*DONORS].index(whose)
    return {
        "name": model,
        "enough": result.turning(model),
        "needed": result.turning(model, 1),
        "both": result.averages[model],
        "writer": result.writer(model),
        "whose": whose,
        "by": result.at_noun(model, donor),
        "most": float(np.abs(found.share[:, donor]).max()),
        "turned": len(found.flips(0, MIDDLE, donor)) > 0,
    }
