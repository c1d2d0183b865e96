"""Runs on other machines: `GLASSFORMER_CLUSTER=tcp://host:8786` names the scheduler of a Dask cluster.

`home` gives runs of the store to its workers and keeps what they tell; `remote` is what runs there. Without the setting
only `address` is imported, and `distributed` need not be installed.
"""
