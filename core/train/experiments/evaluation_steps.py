"""The steps of a training at which all is measured."""


def evaluation_steps(n_step: int, n_look: int, bend: float = 1.5) -> list[int]:
    """At most `n_look` steps from 1 to `n_step`, rising, the last among them: `(100, 4)` gives `[12, 35, 65, 100]`.

    A bend of 1 is evenly; above 1 they are closer together at first, where most happens.
    """
    return sorted({max(1, round(n_step * (i / n_look) ** bend)) for i in range(1, n_look + 1)})


def every(n: int, n_step: int) -> list[int]:
    """The start, each n-th step, and the last one."""
    return [*range(0, n_step, n), n_step]
