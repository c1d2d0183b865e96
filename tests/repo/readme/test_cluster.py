"""The commands of a cluster, typed as the README has them."""

import pytest

from tests.repo.readme.blocks import typed

# Hook: `clone.start(typed("dask scheduler").replace("10.0.0.1", "127.0.0.1"))` types one (tests/repo/readme/clone.py).
COMMANDS = (
    "pip install -r requirements.txt distributed",
    "dask scheduler",
    "python -m core.jobs.cluster",
    "GLASSFORMER_CLUSTER=tcp://10.0.0.1:8786 streamlit run",
)


@pytest.mark.parametrize("start", COMMANDS)
def test_the_readme_says_it_once(start: str) -> None:
    assert typed(start)
