"""Imports of every worker, done once in the process that workers are forked from (0.02 s instead of 2).

It only imports: no tensor is made and no GPU touched, because threads and GPU contexts don't survive a fork.
"""

# ruff: noqa: F401
import gc
import pydoc_data.topics

import filelock
import numpy.ctypeslib
import safetensors.torch
import tiktoken
import tokenizers
import torch
import torch._dynamo  # optimizers import it at their first step: 1 to 2 s otherwise

import core.data.corpora
import core.data.tokenizers
import core.jobs.supervisor_launcher
import core.jobs.worker
import core.models.registry
import core.train.experiment
import core.train.recipes
import core.train.run
import core.train.watch.behavior_snapshots

# Everything that exists now lives as long as its process, so no garbage collection needs to scan it again (0.15 s each
# with torch), and memory that is never written stays shared between workers.
gc.collect()
gc.freeze()
