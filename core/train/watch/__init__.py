"""Records of a run as it trains: `behavior_snapshots`, and tensors.

`watched_tensor_patterns` chooses the tensors, `watcher` reads them, `tensor_summary` stores them.
"""
