"""What needs a GPU is no test where there is none."""

import torch

collect_ignore = [] if torch.cuda.is_available() else ["test_gpu.py"]
