"""A short experiment as a job: it tells its whole record some times a second, and needs no checkpoint.

What is cut off starts anew: it takes seconds, and the same seed gives the same record.
"""

import time
from dataclasses import asdict

from core.jobs.reporter import Reporter
from core.jobs.runs import JobSpec, Outcome

TELL_SECONDS = 0.25


def run_experiment(spec: JobSpec, reporter: Reporter) -> Outcome:
    """Trains an experiment to its end, or until the reporter asks otherwise.

    Raises ValueError: plain words, if there is no such experiment or an option is not allowed.
    """
    from core.train import experiment as experiments
    from core.train.device import one_thread

    name, options = spec.recipe["experiment"], spec.recipe["options"]
    about = {"name": name, "options": asdict(experiments.options_of(name, options)), "seed": spec.seed}
    request = None
    with one_thread():
        running = experiments.start(name, options, spec.seed)
        reporter.begin(0, tokens_per_step=0)
        recorded = -TELL_SECONDS  # the first step is told at once
        while running.step < running.n_step and not (request := reporter.should_stop()):
            running.advance()
            if time.monotonic() - recorded >= TELL_SECONDS:
                reporter.record(running.step, experiments.pack(running, about))
                recorded = time.monotonic()
        reporter.record(running.step, experiments.pack(running, about))
    return "finished" if running.step >= running.n_step else request or "stop"
