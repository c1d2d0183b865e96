"""The training time of each experiment of the rooms.

    python -m benchmarks.experiments                    # all of them, about fifteen minutes
    python -m benchmarks.experiments induction dates    # these two

It prints CPU seconds of one core with the default options, and the number of steps of nanoGPT's small CPU setting (see
`benchmarks.training`), run before and after, that take as long, which is comparable between machines.
"""

import argparse
import time

from benchmarks.training import BaselineRun, Text
from core.data import corpora
from core.train import experiment
from core.train.device import single_torch_thread

N_STEP = 20  # of the baseline, before and after each


def seconds_of(name: str) -> float:
    """Return the CPU seconds of the experiment from its first step to its last, with seed 0."""
    began = time.process_time()
    running = experiment.make_experiment(name, {}, 0)
    while running.step < running.n_step:
        running.advance()
    return time.process_time() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(experiment.EXPERIMENTS)}")
    names = parser.parse_args().names or list(experiment.EXPERIMENTS)
    with single_torch_thread():
        baseline = BaselineRun(Text.of(corpora.load("python-topics").text), seed=0, n_step=5 + 2 * N_STEP * len(names))
        baseline.train(5)  # the first steps allocate
        print(f"{'':<20}{'CPU s':>8}{'steps of the baseline':>24}")
        for name in names:
            before = baseline.train(N_STEP)
            seconds = seconds_of(name)
            step = (before + baseline.train(N_STEP)) / (2 * N_STEP)
            print(f"{name:<20}{seconds:>8.1f}{seconds / step:>24,.0f}", flush=True)


if __name__ == "__main__":
    main()
