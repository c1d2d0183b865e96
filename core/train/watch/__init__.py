"""Watching tensors while a run trains: which ones (`query`), how they are taken (`watcher`), what is kept (`kept`)."""
