"""What explanations in the lessons from decoding to the notes call measured."""

import itertools

import numpy as np
import pytest

from core.data.sentences import SENTENCES
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.library.lessons.asked import came, of


def example(name: str) -> ExperimentRun:
    return experiment.run_experiment(name)


@pytest.mark.measured("10-decoding", "How likely is")
def test_most_positions_are_nearly_certain() -> None:
    likeliest = np.asarray(load_model_and_text("stories", SENTENCES["stories"], 128).attention.probabilities).max(-1)
    assert (likeliest > 0.9).mean() > 0.6 and likeliest[1] < 0.4  # after “Tom and”


@pytest.mark.measured("10-decoding", "Does it find")
def test_after_then_the_rest_is_nearly_certain() -> None:
    start = "Tom and Mia played near the park. Mia hid in the grass. Tom looked under the tree. No Mia!"

    def p_of(text: str) -> float:
        """The probability of what is written after the start."""
        whole, n = load_model_and_text("stories", text, 128), load_model_and_text("stories", start, 128).n_token
        rows = np.asarray(whole.attention.probabilities)
        return float(np.prod([rows[t - 1, whole.ids[t]] for t in range(n, whole.n_token)]))

    assert p_of(f"{start} Then he looked in the grass.") / p_of(f"{start} Then") > 0.9
    assert p_of(f"{start} Tom looked behind the big stone.") / p_of(f"{start} Tom") < 0.5


@pytest.mark.measured("11-bert", "“soup not good.”")
def test_the_verdict_turns() -> None:
    assert came("bert/9") == "praise"


@pytest.mark.measured("12-t5", "Which ending")
def test_the_ending_follows_the_source_and_the_adjective_the_noun() -> None:
    words = of("t5/4").sentence.split("“")[1].split("”")[0].split()
    assert words == ["li", "kani", "pici", "una", "fira", "blana", "amas", "ne"]
    # Begun for many dogs, and continued for one queen.
    assert words[0].endswith("i") and words[6].endswith("s")  # many dogs; one verb for one
    assert words[4][-1] == words[5][-1] == "a"  # the noun that it wrote, and its adjective


@pytest.mark.measured("12-t5", "Sixteen sentences")
def test_a_wrong_text_is_more_probable_to_the_model() -> None:
    from core.rooms.encoder_decoder import beams

    counted = beams.compute(beams.Inputs(run=example("translation"), n=8)).counted
    assert counted.surer > 0.5 and counted.exact < 0.5


@pytest.mark.measured("12-t5", "“The soup was lovely")
def test_the_other_order_gets_the_other_verdict() -> None:
    assert came("t5/8") == "praise"
    assert came("t5/8", sentiment="The soup was lovely but the waiter was rude.") == "blame"


@pytest.mark.measured("13-vision", "Each patch of each")
def test_blank_patches_matter_a_little_more_often_than_their_number() -> None:
    sentence = of("vision/3").sentence
    shares = [int(one.split("%")[0].split()[-1]) for one in sentence.split(" or ")[1].split("Of all patches")]
    assert shares[1] < shares[0] < shares[1] + 15


@pytest.mark.measured("13-vision", "Draw how many")
def test_in_the_end_it_is_worse_than_a_guess() -> None:
    assert min(came("vision/4")) < 10


@pytest.mark.measured("13-vision", "After training, which")
def test_positions_are_similar_within_a_row_and_not_within_a_column() -> None:
    from core.rooms.patches import similarity

    groups = dict(zip(similarity.POSITION_GROUPS, similarity.compute(similarity.Inputs()).after.groups, strict=True))
    assert min(groups["left or right of it"], groups["farther in its row"]) > 0.1
    assert groups["farther in its column"] < groups["elsewhere"] < 0


@pytest.mark.measured("15-three-switches", "With a causal mask")
@pytest.mark.measured("15-three-switches", "From a pot into a bowl")
def test_what_the_causal_model_gives_to_the_two_vessels() -> None:
    from core.data.synthetic import NOUNS, referents
    from core.rooms.heads_at_work import three_switches

    def shares(first: str, second: str) -> tuple[float, float]:
        inputs = three_switches.Inputs(model="causal", first=first, second=second)
        full = three_switches.compute(inputs, example("three-switches")).readings["full"]
        return full.p(first), full.p(second)

    every = {pair: shares(*pair) for pair in itertools.permutations(NOUNS, 2)}
    assert np.mean([sum(one) for one in every.values()]) == pytest.approx(0.92, abs=0.005)
    assert 0.35 < min(every["pot", "bowl"]) < max(every["pot", "bowl"]) < 0.65
    assert f"{every['bottle', 'cup'][0]:.0%}" == "1%"
    train, held = ({(one.first, one.second) for one in some} for some in referents.bottle_and_cup_split(0))
    assert ("pot", "bowl") in train and ("bottle", "cup") in held


@pytest.mark.measured("15-three-switches", "“It” reads the bottle")
def test_one_layer_is_right_in_29_percent() -> None:
    assert f"{float(example('three-switches').record['curve.one_layer.accuracy'][-1]):.0%}" == "29%"


@pytest.mark.measured("16-induction", "Draw the loss")
def test_the_loss_falls_within_fifty_steps() -> None:
    record = example("induction").record
    step, loss = record["step"], record["curve.two.loss"]
    assert step[(loss < 0.3).argmax()] - step[(loss < 3.2).argmax()] <= 60
    assert loss[step <= 50].min() > 3.2 and loss[-1] < 0.05


@pytest.mark.measured("17-lecture-notes", "A class runs without an error")
@pytest.mark.measured("17-lecture-notes", "How does the class")
def test_a_class_full_of_mistakes_learns_and_adds_nothing() -> None:
    record = example("lecture").record
    written, none = (record[f"curve.{name}.accuracy"] for name in ("written", "none"))
    assert written[0] < 0.15 and written[-1] > 0.5
    assert written[-1] < none[-1] + 0.05


@pytest.mark.measured("17-lecture-notes", "Queries and keys are 64")
def test_without_a_root_the_output_is_further_off_than_with_one_outside() -> None:
    from core.rooms.step_by_step import root

    found = root.compute(root.Inputs(d_k=64))
    assert found.row_sum[2] == pytest.approx(1) and found.error[2] > found.error[1] > found.error[0]
