"""The table of parts against the configs that it fills; what is new in training against torch's own."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import lr_scheduler

from core.models import registry
from core.models.gpt import GPTConfig
from core.nn.tap import Trace
from core.train.objectives import next_token_loss
from core.train.optimizers import SGD, AdamW
from core.train.recipe_parts.dropout import DROPOUT_PLACES, make_dropout_forward
from core.train.recipe_parts.table import PARTS, PRESETS
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainRun

CUP = RECIPES["bottle-and-cup"]
SIZES = {"n_layer": 3, "n_head": 4, "d_model": 64, "positions": "rotary"}


def found(table: Mapping[str, Any], path: str) -> Any:
    """Return the value of a nested table at a path, or None if a table above it is None."""
    here: Any = table
    for name in path.split("."):
        here = here[name] if here is not None else None
    return list(here) if isinstance(here, tuple) else here


@pytest.mark.parametrize("kind", ["gpt", "bert", "rnn"])
@pytest.mark.parametrize("name", PARTS)
def test_a_plain_part_is_what_a_recipe_has_that_says_nothing(name: str, kind: str) -> None:
    """Else a part would be written, or left out, where it makes another model than its control says."""
    part = PARTS[name]
    if kind not in part.kinds:
        return
    said = {"block": {}} if kind in ("gpt", "bert") else {}
    recipe = replace(CUP, model={"kind": kind, **said, **({"positions": "rotary"} if kind == "gpt" else {})})
    full = recipe.to_dict() | {"model": registry.flat_settings(recipe.config(5))}
    for path, value in part.sets(part.plain_of(kind), SIZES).items():
        if path != "model.experts.n_active" and "rotary" not in path:
            assert found(full, path) == value, path


@pytest.mark.parametrize("name", PARTS)
def test_every_part_says_what_it_is(name: str) -> None:
    part = PARTS[name]
    assert part.sentence.endswith(".") and part.paper and part.label[0].isupper()
    if part.options is not None:
        assert {part.plain, part.typical} <= part.options.keys()
    assert part.plain != part.typical


def test_presets_name_parts_and_values_that_there_are() -> None:
    for preset in PRESETS.values():
        for name, value in preset.parts.items():
            options = PARTS[name].options
            assert value in options if options is not None else PARTS[name].low <= value <= PARTS[name].high


# Optimizers and schedules


@pytest.mark.parametrize(("momentum", "weight_decay"), [(0.0, 0.0), (0.9, 0.0), (0.9, 0.1)])
def test_sgd_moves_as_torchs(momentum: float, weight_decay: float) -> None:
    """torch adds the pull to the gradient and so to its memory, ours is separate: they are equal without memory."""
    if momentum and weight_decay:
        momentum = 0.0
    generator = torch.Generator().manual_seed(0)
    ours, theirs = (nn.Parameter(torch.ones(3, 4, dtype=torch.float64)) for _ in range(2))
    mine = SGD({"w": ours}, learning_rate=0.1, momentum=momentum, weight_decay=weight_decay)
    own = torch.optim.SGD([theirs], lr=0.1, momentum=momentum, weight_decay=weight_decay)
    for share in (1.0, 0.5, 0.25, 1.0):
        ours.grad = torch.randn(3, 4, generator=generator, dtype=torch.float64)
        theirs.grad = ours.grad.clone()
        own.param_groups[0]["lr"] = 0.1 * share
        mine.step(share)
        own.step()
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-14)


def test_adamws_memory_is_torchs_first_beta() -> None:
    ours, theirs = (nn.Parameter(torch.ones(3, 4, dtype=torch.float64)) for _ in range(2))
    mine = AdamW({"w": ours}, learning_rate=0.1, betas=(0.5, 0.99))
    own = torch.optim.AdamW([theirs], lr=0.1, betas=(0.5, 0.99), weight_decay=0.0)
    for k in range(1, 5):
        ours.grad = torch.full((3, 4), float(k), dtype=torch.float64)
        theirs.grad = ours.grad.clone()
        mine.step(1.0)
        own.step()
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("optimizer", ["adamw", "fast"])
def test_a_recipes_second_beta_is_adamws(optimizer: str) -> None:
    """Unsaid, it is the optimizer's own, bit for bit; another leaves the first one as it is."""
    own = {"adamw": 0.99, "fast": 0.95}[optimizer]
    runs = {beta: TrainRun(replace(CUP, optimizer=optimizer, beta_2=beta), 0, "cpu", dtype="float32")
            for beta in (None, own, 0.5)}  # fmt: skip
    points = {beta: run.advance(3) for beta, run in runs.items()}
    assert points[None] == points[own] != points[0.5]
    optimizers = {beta: getattr(run.optimizer, "adamw", run.optimizer) for beta, run in runs.items()}
    assert [one.betas[1] for one in optimizers.values()] == [own, own, 0.5]
    assert optimizers[0.5].betas[0] == optimizers[None].betas[0]


def torchs_rates(make: Any, n_step: int) -> list[float]:
    """The rates that a scheduler of torch gives, step by step, where the highest is 1."""
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    scheduler = make(optimizer)
    rates = []
    for _ in range(n_step):
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return rates


def rates(n_step: int, **options: Any) -> list[float]:
    recipe = replace(CUP, n_step=n_step, **options)
    return [recipe.learning_rate_share(step) for step in range(n_step)]


def test_schedules_are_torchs() -> None:
    n = 40
    line = torchs_rates(lambda o: lr_scheduler.LinearLR(o, 1.0, 0.25, total_iters=n), n)
    assert rates(n, decay="linear", decay_to=0.25) == pytest.approx(line)
    wave = torchs_rates(lambda o: lr_scheduler.CosineAnnealingLR(o, n, eta_min=0.1), n)
    assert rates(n, decay="cosine", decay_to=0.1) == pytest.approx(wave)
    flat = torchs_rates(lambda o: lr_scheduler.ConstantLR(o, 1.0), n)
    assert rates(n, decay="constant", decay_to=0.0) == flat

    def stable_then_down(optimizer: Any) -> Any:
        level = lr_scheduler.ConstantLR(optimizer, 1.0, total_iters=0)
        down = lr_scheduler.LinearLR(optimizer, 1.0, 1e-12, total_iters=10)
        return lr_scheduler.SequentialLR(optimizer, [level, down], [30])

    assert rates(n, decay="wsd", decay_share=0.25) == pytest.approx(torchs_rates(stable_then_down, n), abs=1e-9)


def test_the_root_of_2017_rises_and_falls_as_its_equation() -> None:
    n_warmup = 9  # its step counts from 1 and rises over one more
    ours = rates(40, decay="root", n_warmup=n_warmup)
    paper = [min((s + 1) ** -0.5, (s + 1) * (n_warmup + 1) ** -1.5) for s in range(40)]
    assert ours == pytest.approx([rate / max(paper) for rate in paper])


# The loss


def test_smoothed_labels_are_torchs_and_the_formula() -> None:
    logits = torch.randn(2, 3, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float32)
    targets = torch.tensor([[0, 3, 6], [1, 1, 5]])
    ours = next_token_loss(logits, targets, 0.1)
    theirs = nn.CrossEntropyLoss(label_smoothing=0.1)(logits.flatten(0, 1), targets.flatten())
    wished = 0.9 * F.one_hot(targets, 7) + 0.1 / 7
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(ours, -(wished * logits.log_softmax(-1)).sum(-1).mean())


def test_validation_knows_neither_smoothing_nor_dropout() -> None:
    """Two runs that differ only in these validate the same model equally."""
    plain = TrainRun(CUP, 0, "cpu", dtype="float32")
    held_back = TrainRun(replace(CUP, label_smoothing=0.2, dropout=0.5), 0, "cpu", dtype="float32")
    assert held_back.validate() == plain.validate()
    assert held_back.advance(1)[0].loss == pytest.approx(math.log(plain.vocab_size), rel=1e-5)  # a blind start


# Dropout


@pytest.mark.parametrize("where", DROPOUT_PLACES)
def test_dropped_numbers_are_0_and_the_others_torchs(where: str) -> None:
    model = registry.build(GPTConfig(vocab_size=11, d_model=32, n_layer=1), seed=1)
    ids = torch.arange(10)[None].repeat(64, 1)
    with Trace(model) as trace:
        model(ids)
    with Trace(model) as dropped:
        make_dropout_forward(model, model, where, 0.25, [0, 0])(ids)
    first = "embed" if where != "weights" else "blocks.0.attn.weights"
    before, after = trace[first], dropped[first]
    alive = before != 0  # a closed cell of the attention is 0 by itself
    is_kept = (after != 0) & alive
    theirs = F.dropout(before, 0.25)
    torch.testing.assert_close(after[is_kept], before[is_kept] / 0.75)
    torch.testing.assert_close(theirs[(theirs != 0) & is_kept], after[(theirs != 0) & is_kept])
    assert 1 - int(is_kept.sum()) / int(alive.sum()) == pytest.approx(0.25, abs=0.02)
    untouched = {"stream": "blocks.0.attn.weights", "weights": "embed"}.get(where)
    if untouched == "embed":
        assert torch.equal(dropped["embed"], trace["embed"])


def test_dropout_goes_on_after_a_pause_as_if_there_had_been_none(tmp_path: Any) -> None:
    recipe = replace(CUP, dropout=0.2, dropout_at="both", n_step=6)
    whole = TrainRun(recipe, 3, "cpu", dtype="float32")
    whole.advance()
    first = TrainRun(recipe, 3, "cpu", dtype="float32")
    first.advance(3)
    first.save(tmp_path)
    rest = TrainRun.resume(tmp_path)
    rest.advance()
    assert rest.history == whole.history
    other = TrainRun(recipe, 4, "cpu", dtype="float32")
    assert other.advance(1)[0] != whole.history[0]


def test_a_recurrent_net_has_no_weights_to_drop() -> None:
    with pytest.raises(ValueError, match="attention"):
        replace(CUP, model={"kind": "rnn", "cell": "gru"}, dropout_at="weights")
    run = TrainRun(replace(CUP, model={"kind": "rnn", "cell": "gru"}, dropout=0.9, optimizer="adamw"), 0, "cpu")
    plain = TrainRun(replace(CUP, model={"kind": "rnn", "cell": "gru"}, optimizer="adamw"), 0, "cpu")
    assert run.advance(1)[0].loss != plain.advance(1)[0].loss


def test_a_long_gradient_is_cut() -> None:
    cut, free = (TrainRun(replace(CUP, optimizer="sgd", learning_rate=1.0, momentum=0.0, clip=c), 0, "cpu",
                          dtype="float32") for c in (0.01, None))  # fmt: skip
    before = {name: w.detach().clone() for name, w in cut.model.named_parameters()}
    cut.advance(1)
    free.advance(1)
    moved = torch.cat([(w.detach() - before[name]).flatten() for name, w in cut.model.named_parameters()]).norm()
    assert float(moved) == pytest.approx(0.01, rel=1e-3)
    assert cut.history[0].grad_norm == free.history[0].grad_norm > 0.01  # told as it was


def test_a_recipe_of_before_has_none_of_it() -> None:
    new = ("momentum", "beta_2", "decay_share", "clip", "label_smoothing", "dropout", "dropout_at")
    old = {name: value for name, value in CUP.to_dict().items() if name not in new}
    assert Recipe.from_dict(old) == CUP
