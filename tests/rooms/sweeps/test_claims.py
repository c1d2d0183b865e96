"""What the page says of the sweep that ships: which setting matters, asked in two ways."""

from core.rooms.sweeps import outcome

SHIPPED = outcome.compute(outcome.Inputs())


def test_the_best_run_of_each_value_is_the_least_loss_among_its_runs() -> None:
    """Fault: a setting that "explains 0%" is read as one that doesn't matter, though its best runs differ most."""
    for k, (name, values) in enumerate(zip(SHIPPED.ticks, SHIPPED.tuned.values(), strict=True)):
        for words, loss in values:
            runs = [row.loss for row in SHIPPED.finished if outcome.SWEEP_AXES[name].in_words(row.point[k]) == words]
            assert loss == min(runs)
    assert SHIPPED.explained["optimizer"] == 0
    best = dict(SHIPPED.tuned["Optimizer"])
    assert best["Muon"] < best["AdamW"] - 0.3


def test_what_is_said_of_the_recorded_sweep_is_so() -> None:
    rates = {}
    for optimizer in ("fast", "adamw"):
        for width in (16, 32, 64, 128):
            mine = [row for row in SHIPPED.finished if row.point[:2] == (optimizer, width)]
            rates[optimizer, width] = float(mine[0].point[2])
        falling = [rates[optimizer, width] for width in (16, 32, 64, 128)]
        assert falling == sorted(falling, reverse=True) and falling[0] > falling[-1], "wider: smaller rates"
    assert all(rates["fast", width] > 2.9 * rates["adamw", width] for width in (16, 32, 64, 128))
