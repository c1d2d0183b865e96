"""The race: equal work whatever the settings, one held-out text whatever the tokenizer, and the rights of each role."""

import json
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.classroom import message_handlers, registry as classes, results
from core.classroom.race import attack, leaderboard, plan, race_views, runs
from core.classroom.race.leaderboard import Racer
from core.classroom.race.race_settings import RACE_SETTINGS, RacerSettings, parse_race_settings
from core.classroom.state import ClassRace, ClassRefused
from core.classroom.store import Classroom
from core.data import corpora
from core.inspect.loss import token_loss
from core.jobs.reporter import StoreReporter
from core.jobs.runs import JobSpec
from core.jobs.worker import run_job
from core.models import pretrained, registry
from core.train import estimate
from core.train.recipes import Recipe
from core.train.run import TrainRun

TEXT = "bottle-and-cup"
RACE = ClassRace(n=1, text=TEXT, seconds=5)
some_settings = st.builds(
    RacerSettings, **{name: st.sampled_from(list(one.values)) for name, one in RACE_SETTINGS.items()}
)


@settings(max_examples=30, deadline=None)
@given(some_settings)
def test_everybody_gets_the_same_counted_work(chosen: RacerSettings) -> None:
    made = plan.plan_race_run(RACE, chosen)
    recipe = Recipe(**made.recipe)
    config = recipe.config(plan.race_vocab_size(made.recipe))
    one_step = estimate.work_per_step(config, registry.build_empty(config), recipe).seconds(estimate.REFERENCE_SPEED)
    assert made.n_step == plan.MOST_STEPS or RACE.seconds - one_step < made.n_step * one_step <= RACE.seconds
    assert made.n_parameter == sum(w.numel() for w in registry.build(config, 0).parameters())
    assert Recipe.for_browser(made.recipe) == recipe, "what is offered is within a browser's limits"


@pytest.mark.parametrize("tokenizer", RACE_SETTINGS["tokenizer"].values)
def test_all_are_asked_for_the_same_bytes_that_nobody_has_seen(tokenizer: str) -> None:
    made = plan.plan_race_run(RACE, RacerSettings(tokenizer=tokenizer, n_layer=1, d_model=32, context_length=16))
    run = TrainRun(replace(Recipe(**made.recipe), n_step=2, n_warmup=0), device="cpu")
    learned, hidden = corpora.split_validation(corpora.load(TEXT).text)
    assert run.tokenizer.decode(run.train_ids.tolist()).replace(" ", "")[:99] == learned.replace(" ", "")[:99]
    assert run.tokenizer.decode(run.val_ids.tolist()) == hidden
    run.advance()
    # The same number from a plain loop: nats of every token that is asked for, in bits, for each byte that they spell.
    with torch.no_grad():
        windows = run.val_ids[: (len(run.val_ids) - 1) // 16 * 16 + 1].unfold(0, 17, 16)
        losses = torch.cat([-run.model(w[None, :-1])[0].double().log_softmax(-1)[range(16), w[1:]] for w in windows])
    share = len(losses) / len(run.val_ids)
    bits = float(losses.sum()) / math.log(2) / (share * len(hidden.encode()))
    assert run.final_val_loss is not None
    assert run.final_val_loss * made.bits_per_nat == pytest.approx(bits, rel=1e-5)


def test_a_tokenizer_of_a_race_has_not_seen_the_hidden_part() -> None:
    run = TrainRun(
        replace(Recipe(**plan.plan_race_run(RACE, RacerSettings()).recipe), n_step=1, n_warmup=0),
        text="to be " * 900 + "µ" * 600,
    )
    assert "µ" not in run.tokenizer.decode(range(run.tokenizer.vocab_size))


def test_every_text_of_a_race_can_be_spelled_by_every_tokenizer() -> None:
    """An unknown letter would be a token that costs next to nothing."""
    from core.data import tokenizers
    from core.ui.training.choices_to_recipe import VOCABULARIES

    for name in corpora.names():
        learned, hidden = corpora.split_validation(corpora.load(name).text)
        for kind in RACE_SETTINGS["tokenizer"].values:
            cutter = tokenizers.train_tokenizer(kind, learned, VOCABULARIES.get(kind))
            assert cutter.decode(cutter.encode(hidden)) == hidden, (name, kind)


def racer(n: int, score: float | None, n_parameter: int = 1, **chosen: Any) -> Racer:
    return Racer(
        id=f"r{n}", name=f"Mia {n}", settings=RacerSettings(**chosen), n_parameter=n_parameter, n_step=10,
        state="failed" if score is None else "finished", step=10, curve=((1.0, 9.0 if score is None else score),),
    )  # fmt: skip


@given(
    st.lists(st.tuples(st.none() | st.floats(0.5, 8), st.integers(1, 99)), min_size=2), st.none() | st.floats(0.5, 8)
)
def test_the_best_come_first(all_: list[tuple[float | None, int]], goal: float | None) -> None:
    places = leaderboard.rank_racers([racer(n, *each) for n, each in enumerate(all_)], goal)
    for n, at in enumerate(leaderboard.racer_places(places, goal)):
        assert at == n + 1 or places[n].score == places[at - 1].score, "who comes out the same shares a place"
    for one, other in pairwise(places):
        if other.score is not None:
            assert one.score is not None, "who has no score comes last"
            is_in, other_is_in = (goal is not None and x.score is not None and x.score <= goal for x in (one, other))
            assert is_in >= other_is_in
            assert one.n_parameter <= other.n_parameter if other_is_in else is_in or one.score <= other.score


def test_the_same_settings_share_a_place() -> None:
    places = leaderboard.rank_racers(
        [racer(0, 3.0), racer(1, 3.25), racer(2, 3.25), racer(3, 3.5), racer(4, None), racer(5, None)]
    )
    assert leaderboard.racer_places(places) == [1, 2, 2, 4, 5, 6]


def test_setting_effects_find_the_planted_one_and_agree_with_omega_squared() -> None:
    draw = np.random.default_rng(0)
    rates = list(RACE_SETTINGS["learning_rate"].values)
    chosen = [{name: draw.choice(list(one.values)) for name, one in RACE_SETTINGS.items()} for _ in range(60)]
    scores = [2 + 0.4 * rates.index(one["learning_rate"]) + 0.1 * draw.normal() for one in chosen]
    found = leaderboard.setting_effects(
        [racer(n, s, **one) for n, (s, one) in enumerate(zip(scores, chosen, strict=True))]
    )
    assert found[0]["label"] == "Learning rate" and found[0]["share"] > 0.9
    assert all(one["share"] < 0.2 for one in found[1:])
    groups = [[s for s, one in zip(scores, chosen, strict=True) if one["learning_rate"] == rate] for rate in rates]
    n, k = 60, len(rates)
    between = sum(len(g) * (np.mean(g) - np.mean(scores)) ** 2 for g in groups)
    within = sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in groups)
    expected = (between - (k - 1) * within / (n - k)) / (between + within + within / (n - k))
    assert found[0]["share"] == pytest.approx(expected, abs=1e-3)
    few = leaderboard.setting_effects(
        [racer(n, s, **one) for n, (s, one) in enumerate(zip(scores[:8], chosen, strict=False))]
    )
    assert all(one["share"] is None for one in few if len(one["values"]) > 2), "eight runs say nothing of six values"


def test_settings_from_a_browser_are_those_that_are_offered() -> None:
    chosen = RacerSettings(n_layer=4, tokenizer="bpe", learning_rate=0.03)
    assert parse_race_settings({name: str(value) for name, value in asdict(chosen).items()}) == chosen
    assert parse_race_settings(None) == parse_race_settings({}) == RacerSettings()
    for said in ({"n_layer": "5"}, {"n_layer": True}, {"tokenizer": "tiktoken"}, {"learning_rate": "nan"}):
        with pytest.raises(ValueError, match="can't be"):
            parse_race_settings(said)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs of three steps."""
    monkeypatch.setattr(plan, "MOST_STEPS", 3)
    plan._plan.cache_clear()
    yield
    plan._plan.cache_clear()


def train_all() -> None:
    """Do the work of the supervisor's workers."""
    jobs = runs.race_run_store()
    while claimed := jobs.claim():
        info = jobs.begin(*claimed, os.getpid())
        reporter = StoreReporter(jobs, *claimed, 0.0, lambda: False)
        run_job(JobSpec(info.recipe, info.seed, jobs.folder(info.id), "cpu"), reporter)
        reporter.flush()
        jobs.leave(*claimed, "finished", step=reporter.step)


def say(room: Classroom, who: str, **said: Any) -> Any:
    return message_handlers.handle_learner_message(room, who, said, 0.0)


def teach(room: Classroom, **said: Any) -> Any:
    return message_handlers.handle_teacher_message(room, said)


def enter(room: Classroom, who: str, **chosen: Any) -> None:
    say(room, who, do="enter", settings={name: str(value) for name, value in chosen.items()})


def test_a_race_from_the_terms_to_the_end(room: Classroom, short: None) -> None:
    mia, tom, eve = (room.join(f"owner{n}", name) for n, name in enumerate(("Mia", "Tom", "Eve")))
    with pytest.raises(ClassRefused, match="no such race"):
        enter(room, mia)
    teach(room, do="race", text=TEXT, seconds=5)
    with pytest.raises(ClassRefused, match="Nobody has entered"):
        teach(room, do="race start")
    enter(room, mia, d_model=32, n_layer=1)
    enter(room, tom, d_model=32, n_layer=1, learning_rate=0.1, context_length=16)
    enter(room, eve, d_model=32)
    enter(room, mia, d_model=32, n_layer=1, learning_rate=0.01)
    assert teach(room, do="race cost")["n"] == 3
    whole = room.read()
    told = json.dumps(race_views.learner_race_view(whole, mia, race_views.current_racers(whole)))
    assert "0.01" in told and "Tom" not in told and "board" not in told, "nobody sees what others choose"
    assert "Mia" not in json.dumps(race_views.projector_race_view(whole, race_views.current_racers(whole)))
    teach(room, do="send out", learner=eve)
    teach(room, do="race start")
    for late in ({"do": "enter"}, {"do": "attack", "sentence": "the cup is full"}):
        with pytest.raises(ClassRefused):
            say(room, mia, **late)
    for early in ("race start", "race winner", "race why", "race attack"):
        with pytest.raises(ClassRefused):
            teach(room, do=early, on=True)
    assert race_views.is_race_running(room.read(), race_views.current_racers(room.read()))

    train_all()
    whole = room.read()
    places = race_views.current_racers(whole)
    assert {one.id for one in places} == {mia, tom} and not race_views.is_race_running(whole, places), (
        "who was sent out is out"
    )
    assert [one.score for one in places] == sorted(one.score for one in places if one.score)
    wall = race_views.projector_race_view(whole, places)
    assert wall and wall["is_over"] and len(wall["board"]) == 2
    assert not any(secret in json.dumps(wall) for secret in ("Mia", "Tom", mia, tom))
    told = race_views.learner_race_view(whole, tom, places)
    assert told and told["me"]["name"] == "Tom" and "name" not in told["best"]

    teach(room, do="race winner")
    assert room.read().state.view.address == f"heads?model={places[0].run}"
    teach(room, do="race why")
    teach(room, do="race why")  # a second press runs nothing again
    train_all()
    wall = race_views.projector_race_view(room.read(), race_views.current_racers(room.read()))
    assert wall and {one["label"] for one in wall["why"]} == {"Context", "Learning rate"}
    assert all(one["score"] for one in wall["why"]) and len(wall["board"]) == 2

    teach(room, do="race attack", on=True)
    found = say(room, mia, do="attack", sentence="  the bottle   is empty ")
    assert found["sentence"] == "the bottle is empty"
    back = say(room, tom, do="attack", sentence="the bottle is empty")
    assert back["margin"] == pytest.approx(-found["margin"], abs=2e-3)
    with pytest.raises(ClassRefused, match="never seen Ü"):
        say(room, tom, do="attack", sentence="Übermut tut selten gut")
    wall = race_views.projector_race_view(room.read(), places)
    assert wall and "is empty" not in json.dumps(wall), "the teacher reads a sentence first"
    teach(room, do="race shown", racers=[tom, "nobody"])
    assert room.read().state.race.shown == (tom,)  # type: ignore[union-attr]

    teach(room, do="race done")
    whole = room.read(everything=True)
    table, page = results.races_csv(whole), results.class_results_html(whole)
    assert "Mia" in table and f"{places[0].score:.3f}" in table
    assert f"{places[0].score:.3f}" in page and not any(one in page for one in ("Mia", "Tom", "Eve"))
    kept = runs.race_run_store()
    assert len(kept.of_group("class-")) == 4
    room.end()
    assert not kept.of_group("class-") and not [one for one in kept.root.iterdir() if one.is_dir()]


def test_four_race_as_a_team_and_a_newcomer_fills_the_last(room: Classroom) -> None:
    all_ = [room.join(f"owner{n}", f"N{n}") for n in range(6)]
    teach(room, do="race", text=TEXT, seconds=5, teams=True)
    enter(room, all_[0], n_layer=1)
    enter(room, all_[3], n_layer=4)
    whole = room.read()
    told = [
        race_views.learner_race_view(whole, who, race_views.current_racers(whole))
        for who in (*all_, room.join("owner6", "N6"))[:6]
    ]
    assert [one and one["mine"] and one["mine"]["n_layer"] for one in told] == ["4"] * 4 + [None, None]
    assert told[5] and told[5]["team"] == ["N4", "N5"]


@pytest.mark.parametrize(
    "terms",
    [{"text": "../x"}, {"seconds": 9}, {"seconds": True}, {"goal": -1}, {"goal": "2"}, {"seed": -1}, {"seed": 1.5}],
)
def test_terms_that_are_none_are_refused(room: Classroom, terms: dict[str, Any]) -> None:
    with pytest.raises(ClassRefused):
        teach(room, **{"do": "race", "text": TEXT, "seconds": 5, **terms})
    assert room.read().state.race is None


def test_where_training_is_off_there_is_no_race(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")
    assert not teach(room, do="race texts")
    with pytest.raises(ClassRefused, match="no such race"):
        teach(room, do="race", text=TEXT, seconds=5)


def test_an_attack_counts_what_the_model_was_surprised_by(tmp_path: Any) -> None:
    recipe = plan.plan_race_run(RACE, RacerSettings(n_layer=1, d_model=32, context_length=16)).recipe
    run = TrainRun(replace(Recipe(**recipe), n_step=5, n_warmup=0), device="cpu")
    run.advance()
    run.export(tmp_path)
    found = pretrained.load(tmp_path)
    for text in ("the cup is", "the bottle was full and the cup was empty because it was poured"):
        ids = found.tokenizer.encode("\n" + text)
        told = attack.compare_bits_per_byte(text, tmp_path, tmp_path)
        bits = [bit for _, bit in told["pieces"]]
        assert told["margin"] == 0 and "".join(piece for piece, _ in told["pieces"]) == text
        n_first = min(len(ids), 16)
        assert bits[: n_first - 1] == pytest.approx(token_loss(found.model, ids[:16]).loss[1:] / math.log(2), abs=0.006)
        with torch.no_grad():  # each later letter from the sixteen before it
            for i in range(n_first, len(ids)):
                told_by = found.model(torch.tensor([ids[i - 16 : i]]))[0, -1].double().log_softmax(-1)
                assert bits[i - 1] == pytest.approx(-float(told_by[ids[i]]) / math.log(2), abs=0.006)


def test_a_racer_that_was_never_queued_does_not_delay_the_race(
    room: Classroom, short: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mia, tom = room.join("owner1", "Mia"), room.join("owner2", "Tom")
    teach(room, do="race", text=TEXT, seconds=5)
    enter(room, mia)
    enter(room, tom, n_layer=1)
    begin, begun = runs.queue_race_run, list[str]()

    def only_once(*given: Any) -> str:
        if begun:
            raise ValueError("The disk has only 3 MB left.")
        begun.append(begin(*given))
        return begun[0]

    monkeypatch.setattr(runs, "queue_race_run", only_once)
    with pytest.raises(ClassRefused, match="only 3 MB"):
        teach(room, do="race start")
    assert race_views.is_race_running(room.read(), race_views.current_racers(room.read()))
    train_all()
    places = race_views.current_racers(room.read())
    all_told = [
        race_views.learner_race_view(room.read(), mia, places),
        race_views.projector_race_view(room.read(), places),
    ]
    ids = {one.run for one in places} - {""}
    assert ids and not [one for one in ids if one in str(all_told)], "with a run's id anyone opens its model"
    told = race_views.desk_race_view(room.read(), race_views.current_racers(room.read()))
    assert told and told["is_over"] and [one["state"] for one in told["board"]] == ["finished", "stopped"]
    with pytest.raises(ClassRefused, match="no worst run"):
        teach(room, do="race why")


def test_a_day_later_the_runs_are_gone_too(room: Classroom, short: None, data_folder: Path) -> None:
    """Also from free pages of the store and from its log, which still held the code of the class."""
    mia = room.join("owner", "Mia")
    teach(room, do="race", text=TEXT, seconds=5)
    enter(room, mia)
    teach(room, do="race start")
    assert runs.race_run_store().of_group(f"class-{room.code}")
    with runs.race_run_store().held_open():  # as a server does
        classes.delete_old_classes(now=room.age()[0] + classes.DAY + 1)
        assert not runs.race_run_store().of_group("class-")
        kept = [path for path in data_folder.rglob("*") if path.is_file() and room.code.encode() in path.read_bytes()]
    assert kept == [] and (data_folder / "runs").is_dir()
