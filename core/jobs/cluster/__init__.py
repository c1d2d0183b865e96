"""Runs on other machines: `GLASSFORMER_CLUSTER=tcp://host:8786` names the scheduler of a Dask cluster.

`home` assigns runs of the store to the workers and stores their reports; `remote` is the code that runs on them.
Without the setting only `address` is imported, and `distributed` need not be installed.
"""
