"""Imports that every server process needs, made once in the process that they are forked from, to share memory.

Only packages, none of our own rooms: those may look for the server that they are in.
"""

import gc
import importlib

from core.ui.server.processes import SLOW_IMPORTS

for _name in (*SLOW_IMPORTS, "streamlit.web.cli"):
    importlib.import_module(_name)

# No collection walks through what is here now, which would copy every page of it.
gc.collect()
gc.freeze()
