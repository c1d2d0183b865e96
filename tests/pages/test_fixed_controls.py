"""A link that locks or hides every control of a page: no button is left that does nothing, each lock has its reason."""

import pytest
from streamlit.testing.v1 import AppTest

from core.ui import state
from tests.pages.rooms import clean
from tests.pages.test_app import PAGES, ROOT

# Pages with buttons that move controls; the others have none today and run where all is tested.
WITH_BUTTONS = ("patches.py", "next_token.py", "encoder.py", "studio.py")
ASKS_THE_NETWORK = ("download", "opened-ask", "opened-fetch")
CONTROLS = ("slider", "selectbox", "number_input", "toggle", "text_input", "text_area", "button_group")


@pytest.fixture(autouse=True)
def _training_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")


def opened(page: str, **address: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    for name, value in address.items():
        app.query_params[name] = value
    return clean(app.switch_page(page).run())


def drawn(app: AppTest) -> list[str]:
    """All that the visitor sees, and what the address holds."""
    return [*(str(getattr(one, "proto", "")) for one in (*app.main, *app.toast)), str(sorted(app.query_params.items()))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(one, marks=() if one.endswith(WITH_BUTTONS) else pytest.mark.full) for one in PAGES]
)
def test_no_button_does_nothing_where_the_controls_are_fixed(page: str) -> None:
    names = set(opened(page).session_state[f"{state.PREFIX}asked"])
    for how in ("hide", "lock"):
        app = opened(page, **{how: ",".join(names)})
        controls = {one.key: one for kind in CONTROLS for one in app.main.get(kind) if one.key in names}
        if how == "hide":
            assert not controls
        else:
            assert all(one.disabled for one in controls.values())
            assert len([one for one in app.main.caption if "Locked by the link" in one.value]) == len(controls)
        for key in [one.key for one in app.main.button if one.key and not one.disabled]:
            is_gone = not [one for one in app.main.button if one.key == key]  # with what another one has changed
            if is_gone or key.endswith(ASKS_THE_NETWORK) or key == "gf-share-page":  # its dialog stands beside the page
                continue
            label, before = app.button(key=key).label, drawn(app)
            app.button(key=key).click().run()
            assert not app.exception
            assert drawn(app) != before, f"with {how}=…, “{label}” ({key}) changes nothing"
