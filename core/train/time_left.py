"""How long work that is under way will still take, by how far it has come: the one estimate that is shown anywhere."""

MIN_SHARE = 0.02  # done, before which the speed says little: the start has work of its own
MIN_SECONDS = 5.0  # that it has taken


def seconds_left(done: float, elapsed: float, share_per_second: float | None = None) -> float | None:
    """Return the seconds until the end; None while too little has been seen to say it.

    Args:
        done: the share of all work that is done, 0 to 1. Whatever waits in line counts as work that isn't done.
        elapsed: seconds since the work began or, if nothing was started yet, since it was put in line.
        share_per_second: the speed of the last few seconds, if it is known; None: the mean speed so far.
    """
    if done >= 1:
        return 0.0
    if done < MIN_SHARE or elapsed < MIN_SECONDS:
        return None
    return (1 - done) / (share_per_second or done / elapsed)
