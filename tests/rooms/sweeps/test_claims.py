"""What the room of sweeps says of the recorded one is so."""

from core.rooms.sweeps.outcome import Inputs, compute


def test_what_is_said_of_the_recorded_sweep_is_so() -> None:
    result = compute(Inputs())
    rates = {}
    for optimizer in ("fast", "adamw"):
        for width in (16, 32, 64, 128):
            mine = [row for row in result.finished if row.point[:2] == (optimizer, width)]
            rates[optimizer, width] = float(mine[0].point[2])
        falling = [rates[optimizer, width] for width in (16, 32, 64, 128)]
        assert falling == sorted(falling, reverse=True) and falling[0] > falling[-1], "wider: smaller rates"
    assert all(rates["fast", width] > 2.9 * rates["adamw", width] for width in (16, 32, 64, 128))
