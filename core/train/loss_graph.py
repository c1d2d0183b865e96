"""A GPU told once what a step computes: a CUDA graph of the loss and its gradient.

A small model's step is hundreds of small kernels, and starting each from Python takes longer than computing it. The
same kernels run, in the same order: the numbers are those of the steps before.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class LossGraph:
    """`loss_of(starts)` and the gradient of the model's parameters, recorded for batches of one shape.

    Args:
        loss_of: of a batch, by where its windows begin; nothing else may differ between two steps.
        model: on a CUDA device.
        starts: any batch, for the shape.

    Raises RuntimeError: if a part cannot be recorded, because it copies from the CPU, say.

    Source: PyTorch's "CUDA semantics", section CUDA graphs: whole-network capture.
    """

    def __init__(self, loss_of: Callable[[Tensor], Tensor], model: nn.Module, starts: Tensor):
        self.starts, self.parameters = starts.clone(), list(model.parameters())
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):  # what allocates at first must not be recorded
                model.zero_grad()
                loss_of(self.starts).backward()
        torch.cuda.current_stream().wait_stream(aside)
        model.zero_grad()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = loss_of(self.starts)
            self.loss.backward()
        self.gradients = [w.grad for w in self.parameters]

    def run(self, starts: Tensor) -> Tensor:
        """The loss of a batch; the parameters hold its gradient until the next one."""
        self.starts.copy_(starts)
        for w, gradient in zip(self.parameters, self.gradients, strict=True):
            w.grad = gradient
        self.graph.replay()
        return self.loss.detach().clone()
