"""Watching tensors as a run trains: `watched_tensor_patterns` chooses, `watcher` reads, `tensor_summary` stores."""
