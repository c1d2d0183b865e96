"""What the page says of the sweep that ships: which setting matters, asked in two ways."""

from core.rooms.sweeps import outcome

SHIPPED = outcome.compute(outcome.Inputs())


def test_the_best_run_of_each_value_is_the_least_loss_among_its_runs() -> None:
    """Fault: a setting that "explains 0%" is read as one that doesn't matter, though its best runs differ most."""
    for k, (name, values) in enumerate(zip(SHIPPED.ticks, SHIPPED.tuned.values(), strict=True)):
        for words, loss in values:
            runs = [row.loss for row in SHIPPED.finished if outcome.AXES[name].in_words(row.point[k]) == words]
            assert loss == min(runs)
    assert SHIPPED.explains("optimizer") == 0
    best = dict(SHIPPED.tuned["Optimizer"])
    assert best["Muon"] < best["AdamW"] - 0.3


def test_muons_best_rate_is_larger_and_falls_with_the_width() -> None:
    """What its Try chip says: the wider the model, the smaller the best learning rate, with both optimizers."""
    at = {name: k for k, name in enumerate(SHIPPED.ticks)}
    rates: dict[str, dict[float, float]] = {"AdamW": {}, "Muon": {}}
    for row in SHIPPED.finished:  # best first
        one = outcome.AXES["optimizer"].in_words(row.point[at["optimizer"]])
        rates[one].setdefault(float(row.point[at["d_model"]]), float(row.point[at["learning_rate"]]))
    for found in rates.values():
        widths = sorted(found)
        assert found[widths[-1]] <= found[widths[0]]
    assert all(rates["Muon"][width] >= rates["AdamW"][width] for width in rates["AdamW"])
