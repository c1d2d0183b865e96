"""`tap` and `Trace` on a module small enough to know every number."""

import threading

import pytest
import torch
from torch import Tensor, nn

from core.models.gpt import GPT, GPTConfig
from core.nn.tap import Trace, tap


class Doubler(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return tap(self, "double", 2 * x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Doubler()
        self.second = Doubler()

    def forward(self, x: Tensor) -> Tensor:
        return tap(self, "sum", self.second(self.first(x)) + 1)


X = torch.tensor([1.0, 2.0])


def test_keys_are_paths_and_names_and_steps_hold_every_visit() -> None:
    model = Model()
    assert tap(model, "x", X) is X  # without a trace
    with Trace(model) as trace:
        model(X)
    assert list(trace.keys()) == ["first.double", "second.double", "sum"] and len(trace) == 3
    assert trace["first.double"].tolist() == [2, 4] and trace["sum"].tolist() == [5, 9]
    with Trace(model) as trace:
        model(X)
        model(X + 1)
    assert [x.tolist() for x in trace.steps("sum")] == [[5, 9], [9, 13]] and trace["sum"].tolist() == [9, 13]


def test_a_name_and_a_layer_are_short_for_a_key_where_only_one_fits() -> None:
    model = GPT(GPTConfig(vocab_size=5, context_length=4, n_layer=2, n_head=1, d_model=4))
    with Trace(model) as trace:
        model(torch.tensor([[1, 2]]))
    for name, path in (("weights", "attn.weights"), ("resid_mid", "resid_mid"), ("act", "mlp.act"), ("mlp.out",) * 2):
        assert trace[name, 1] is trace[f"blocks.1.{path}"]
    assert (
        trace["attn.out", 1] is trace["blocks.1.attn.out"] and ("weights", 1) in trace and ("weights", 2) not in trace
    )
    for name, layer, words in (
        ("out", 1, r"several tensors 'out': use one of the keys blocks\.1\.attn\.out, blocks\.1\.mlp\.out"),
        ("weights", 2, "layer 2 has no tensor 'weights'; layers that have it: 0, 1"),
        ("wieghts", 0, "no layer has a tensor 'wieghts'.*near it: .*weights"),
    ):
        with pytest.raises(KeyError, match=words):
            trace[name, layer]


def test_an_edit_changes_everything_after_it() -> None:
    model = Model()
    with Trace(model, edits={"first.double": lambda x: x + 10}) as trace:
        out = model(X)
    assert trace["first.double"].tolist() == [12, 14] and out.tolist() == [25, 29]
    assert model(X).tolist() == [5, 9]  # and nothing stays


def test_an_edit_that_was_never_used_is_an_error_that_names_its_neighbours() -> None:
    model = Model()
    with (
        pytest.raises(KeyError, match=r"no tensor 'frist\.double'; near it: first\.double"),
        Trace(model, {"frist.double": abs}),
    ):
        model(X)
    with Trace(model) as trace:
        model(X)
    with pytest.raises(KeyError, match="no tensor 'logits'"):
        trace["logits"]


def test_an_error_inside_is_not_replaced_by_the_unused_edit() -> None:
    with pytest.raises(ZeroDivisionError), Trace(Model(), {"first.double": abs}):
        raise ZeroDivisionError
    assert tap(Model(), "x", X) is X  # the trace has ended all the same


def test_an_edit_must_keep_the_shape() -> None:
    model = Model()
    with (
        pytest.raises(ValueError, match=r"'first\.double' gives \(1,\), the tensor is \(2,\)"),
        Trace(model, {"first.double": lambda x: x[:1]}),
    ):
        model(X)


def test_other_models_are_left_alone() -> None:
    watched, other = Model(), Model()
    with Trace(watched, {"first.double": torch.zeros_like}) as trace:
        assert other(X).tolist() == [5, 9]
        assert watched(X).tolist() == [1, 1]
    assert len(trace.steps("sum")) == 1


def test_traces_nest_and_the_outer_sees_what_the_inner_edited() -> None:
    model = Model()
    with Trace(model) as outer:
        with Trace(model, {"first.double": torch.zeros_like}) as inner:
            model(X)
        model(X)
    assert [x.tolist() for x in outer.steps("first.double")] == [[0, 0], [2, 4]]
    assert [x.tolist() for x in inner.steps("first.double")] == [[0, 0]]


def test_a_trace_belongs_to_its_thread() -> None:
    model = Model()
    outputs: list[Tensor] = []
    with Trace(model, {"first.double": torch.zeros_like}) as trace:
        thread = threading.Thread(target=lambda: outputs.append(model(X)))
        thread.start()
        thread.join()
        model(X)
    assert outputs[0].tolist() == [5, 9] and len(trace.steps("sum")) == 1


def test_gradients_flow_through_taps_and_edits() -> None:
    model = Model()
    x = X.clone().requires_grad_()
    with Trace(model, {"second.double": lambda y: 3 * y}):
        model(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [12, 12]


def test_only_requested_tensors_are_kept_but_all_edits_apply() -> None:
    model = Model()
    with Trace(model, {"first.double": torch.zeros_like}, keep=("sum",)) as trace:
        edited = model(X)
    assert list(trace) == ["sum"] and torch.equal(trace["sum"], edited)
    assert edited.tolist() == [1, 1]
    with Trace(model, keep=("second.double", "sum")) as both:
        plain = model(X)
    assert list(both) == ["second.double", "sum"] and torch.equal(plain, model(X))
    with pytest.raises(KeyError, match=r"no tensor 'first\.double'"):
        both["first.double"]


class _Words:
    """A tokenizer: the length of each word."""

    def encode(self, text: str) -> list[int]:
        return [len(word) for word in text.split()]


def test_a_traced_text_can_be_listed_and_stored() -> None:
    model = nn.Embedding(5, 3)
    model.forward = lambda ids: tap(model, "rows", nn.Embedding.forward(model, ids))  # type: ignore[method-assign]
    trace = Trace.read(model, "to see it", _Words(), edits={"rows": lambda x: x + 1})
    assert torch.equal(trace["rows"], model.weight[[2, 3, 2]][None] + 1) and not trace["rows"].requires_grad
    assert repr(trace) == "Trace of 1 tensors\n  rows  (1, 3, 3)"
    arrays = trace.arrays()
    arrays["rows"][:] = 0
    assert list(arrays) == ["rows"] and trace["rows"].any()
