"""Watching tensors while a run trains: their choice (`query`), reading (`watcher`) and storage (`kept`)."""
