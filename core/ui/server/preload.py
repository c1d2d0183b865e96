"""Imports that every server process needs, made once in the process that they are forked from, to share its memory.

It imports only packages, none of our own rooms, which may look for the server that they run in.
"""

import gc
import importlib

from core.ui.server.load_balanced_server import SLOW_IMPORTS

for _name in (*SLOW_IMPORTS, "streamlit.web.cli"):
    importlib.import_module(_name)

# The garbage collector must not traverse these objects, because that would copy every memory page.
gc.collect()
gc.freeze()
