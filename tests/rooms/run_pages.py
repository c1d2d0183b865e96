"""A page that follows runs of the store, opened by the owner of these runs; what it shows."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
SECRET = "0" * 32
OWNER = hashlib.sha256(b"glassformer owner " + SECRET.encode()).hexdigest()[:32]


def opener(page: str) -> Callable[..., AppTest]:
    """`opener("pages/train/studio.py")(run="…", steps="5")`: the page, opened by a link with these parameters."""

    def open_page(**link: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
        app.session_state["_owner_of_this_session"] = SECRET
        app.run()
        app.switch_page(page)
        app.query_params.update(link)
        return checked(app.run())

    return open_page


def checked(app: AppTest) -> AppTest:
    """No exception, and no fault that the frame caught."""
    assert not app.exception, [one.message for one in app.exception]
    assert not [error.value for error in app.error if "hit an unexpected error" in error.value]
    return app


def keys(app: AppTest) -> set[str]:
    return {button.key for button in app.button}


def texts(app: AppTest) -> str:
    parts = (app.markdown, app.caption, app.info, app.warning, app.error, app.success)
    return "\n".join(one.value for part in parts for one in part)
