"""`python -m core.generate` writes what the library writes with the same settings, and refuses the rest in one line."""

from functools import partial
from typing import Any

import pytest

from core.generate import command, filters
from core.generate.beam import cached_beam_search
from core.generate.decode import generate
from core.models.pretrained import load

PROMPT = "Tom and Mia"
MODEL = load(command.SHIPPED_MODELS / "stories")
IDS = MODEL.tokenizer.encode(PROMPT)  # type: ignore[union-attr]


def drawn(**how: Any) -> list[int]:
    return [int(step.token) for step in generate(MODEL.model, IDS, 12, **how)]


def beam(n_beam: int, **how: Any) -> list[int]:
    return list(cached_beam_search(MODEL.model, IDS, n_beam, 12, **how).hypotheses[0].ids[len(IDS) :])


STOP = MODEL.tokenizer.encode(".")[0]  # type: ignore[union-attr]
SOFT = partial(filters.temperature, t=command.DEFAULT_TEMPERATURE)
WAYS: dict[str, list[int]] = {
    "": drawn(filters=[SOFT]),
    "--seed 3": drawn(filters=[SOFT], seed=3),
    "--greedy": drawn(greedy=True),
    "--temperature 0": drawn(greedy=True),
    "--temperature 1.5 --top-k 3": drawn(filters=[partial(filters.temperature, t=1.5), partial(filters.top_k, k=3)]),
    "--top-p 0.5 --no-repeat-ngram 2": drawn(
        filters=[partial(filters.no_repeat_ngram, n=2), SOFT, partial(filters.top_p, p=0.5)]
    ),
    "--beam 3": beam(3),
    "--beam 3 --length-penalty 0": beam(3, length_penalty=0.0),
    "--beam 3 --length-penalty 5 --stop .": beam(3, length_penalty=5.0, eos_id=STOP),
    "--beam 3 --stop . --early-stopping": beam(3, eos_id=STOP, early_stopping=True),
    "--greedy --stop .": drawn(greedy=True, eos_id=STOP),
}


@pytest.mark.parametrize("options", WAYS)
def test_the_text_is_that_of_the_library(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["stories", PROMPT, "--tokens", "12", *options.split()]) == 0
    new = [token for token in WAYS[options] if token != STOP or "--stop" not in options]
    assert capsys.readouterr().out == PROMPT + MODEL.tokenizer.decode(new) + "\n"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["stories", PROMPT, "--greedy", "--top-k", "3"], "--top-k would change nothing, because greedy decoding"),
        (["stories", PROMPT, "--length-penalty", "2"], "--length-penalty would change nothing"),
        (["stories", PROMPT, "--beam", "2", "--seed", "1"], "--seed would change nothing, because beam search"),
        (["stories", PROMPT, "--stop", "Tom and"], "tokens of this model: one token is needed, such as"),
        (["stories", ""], "the prompt is empty"),
        (["stories-bert", PROMPT], "stories-bert does not continue texts"),
        (["nobody", PROMPT], "none of the models that ship: "),
        (["stories", PROMPT, "--top-p", "1.5"], "--top-p must be from 0 to 1, not 1.5"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 1
    said = capsys.readouterr()
    assert words in said.err and said.err.count("\n") == 1 and not said.out
