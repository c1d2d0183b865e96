"""One file per architecture, all made from core.nn."""
