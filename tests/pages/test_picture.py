"""Which picture an exhibit looks at, driven without a browser: held-out digits, drawings, uploads, hostile links."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from core.data import images
from core.data.images import digit_pixels
from core.ui.widgets.picture_inputs import SEVEN

ONE = "002ge000" * 8
SCRIPT = """
import streamlit as st
from core.ui.widgets.picture_inputs import pick_digit, pick_photograph
from core.ui.exhibit.exhibit import render_exhibit
from tests.own_exhibit import exhibit

def piece(name, ask):
    def draw(*_):
        picture = ask()
        st.text(f"{name}: {picture.key} | {picture.name} | {picture.label} | {picture.pixels.shape}")
        assert not picture.pixels.flags.writeable
    draw.__name__ = name
    return exhibit(draw, name)

render_exhibit(piece("one", lambda: pick_digit("one", 3)))
render_exhibit(piece("two", lambda: pick_digit("two", 5)))
render_exhibit(piece("photo", lambda: pick_photograph("photo", "flower")))
"""


def opened(**query: str) -> AppTest:
    test = AppTest.from_string(SCRIPT, default_timeout=30)
    test.query_params.update(query)
    return clean(test.run())


def clean(test: AppTest) -> AppTest:
    assert not test.exception
    assert not [one.value for one in test.error if "id" in one.value.lower().split()]
    return test


def said(test: AppTest, name: str) -> str:
    return next(one.value.split(": ", 1)[1] for one in test.text if one.value.startswith(f"{name}: "))


def file(picture: np.ndarray, kind: str = "PNG") -> bytes:
    data = io.BytesIO()
    Image.fromarray(picture).save(data, kind)
    return data.getvalue()


def upload(test: AppTest, data: bytes, name: str = "a.png", field: int = 0) -> AppTest:
    test.file_uploader[field].set_value((name, data, "image/png"))
    return clean(test.run())


def stroke() -> np.ndarray:
    page = np.full((80, 60, 3), 250, np.uint8)
    page[10:70, 26:35] = 10
    return page


def test_held_out_digits() -> None:
    test = opened()
    assert said(test, "one") == f"held-3 | held-out digit 3 | {images.held_out_digits().labels[3]} | (8, 8)"
    assert said(test, "two").startswith("held-5")
    for end in (0, 359):
        test.slider(key="one_digit").set_value(end)
        assert said(clean(test.run()), "one").startswith(f"held-{end} ")
    test.button(key="one-next").click()
    assert said(clean(test.run()), "one").startswith("held-0 ")
    label, seen = images.held_out_digits().labels[0], set()
    for _ in range(36):
        test.button(key="one-alike").click()
        one = said(clean(test.run()), "one")
        seen.add(one)
        assert f"| {label} |" in one
        if len(seen) == 3:
            break
    assert held(test, "one_digit") != "0"
    assert said(test, "two").startswith("held-5")


def test_drawings_stay_in_the_address_and_are_offered_elsewhere() -> None:
    test = opened()
    test.button_group(key="one_from").set_value("drawing")
    assert said(clean(test.run()), "one") == f"own-{SEVEN} | your drawing | None | (8, 8)"
    assert held(test, "one_drawn") == SEVEN
    test.button_group(key="one_from").set_value("held_out")
    clean(test.run())
    test.button(key="one-copy").click()  # the third held-out digit becomes the drawing
    clean(test.run())
    copied = digit_pixels.encode_digit_as_text(images.held_out_digits().pixels[3])
    assert said(test, "one").startswith(f"own-{copied} ") and held(test, "one_drawn") == copied
    test.button_group(key="two_from").set_value("drawing")
    assert said(clean(test.run()), "two").startswith(f"own-{copied} ")
    again = opened(one_from="drawing", one_drawn=ONE)
    assert said(again, "one").startswith(f"own-{ONE} ")
    assert not [one for one in again.button if one.key == "one-last"]  # nothing was drawn in this session
    again.button(key="two-copy").click()
    clean(again.run())
    again.button(key="one-last").click()
    own = digit_pixels.encode_digit_as_text(images.held_out_digits().pixels[5])
    assert said(clean(again.run()), "one").startswith(f"own-{own} ")


@pytest.mark.parametrize(
    "drawn", ["", "0" * 64, "z" * 64, "1" * 63, "1" * 5_000, "<b>*a*</b>", "👩‍👩‍👧" * 9, "\x00" * 64]
)
def test_hostile_links(drawn: str) -> None:
    test = opened(
        one_from="drawing",
        one_drawn=drawn,
        two_from="upload",
        two_upload=drawn,
        photo_photo=drawn[:50],
        one_digit=drawn,
    )
    assert said(test, "one").startswith(f"own-{SEVEN} ") and said(test, "two").startswith("held-5")
    assert said(test, "photo").startswith("photo-flower")
    assert any("drawing that cannot be used" in one.value for one in test.warning)
    assert any("upload that cannot be used" in one.value for one in test.warning)


def test_what_is_no_control_of_ours_is_refused() -> None:
    test = opened(one_from="telepathy", one_digit="360", photo_photo="moon")
    assert said(test, "one").startswith("held-3") and said(test, "photo").startswith("photo-flower")
    assert len(test.warning) >= 3


def test_an_uploaded_digit() -> None:
    test = opened(one_from="upload")
    assert said(test, "one").startswith("held-3") and "No file is chosen yet" in words(test)
    upload(test, file(stroke()))
    symbols = held(test, "one_upload")
    assert said(test, "one") == f"own-{symbols} | your upload | None | (8, 8)"
    assert "60 × 80 pixels" in words(test) and len(test.get("image")) == 2
    for data, name in (
        (b"", "empty.png"),
        (b"I am text", "![x](y).png"),
        (file(np.full_like(stroke(), 9)), "black.png"),
    ):
        upload(test, data, name)
        assert "The picture before it stays" in test.error[0].value.replace("\\", "")
        assert said(test, "one").startswith(f"own-{symbols} ")
    upload(test, file(255 - stroke(), "GIF"), "a.gif")
    assert not test.error and said(test, "one").startswith("own-")
    test.button_group(key="two_from").set_value("upload")
    assert said(clean(test.run()), "two").startswith(f"own-{held(test, 'one_upload')} ")
    test.button(key="two-copy").click()
    assert said(clean(test.run()), "two").endswith("| your drawing | None | (8, 8)")
    # A link holds the digit, not the file.
    linked = opened(one_from="upload", one_upload=symbols)
    assert said(linked, "one").startswith(f"own-{symbols} ") and len(linked.get("image")) == 1


def test_an_uploaded_photograph() -> None:
    test = opened(photo_photo="upload")
    assert said(test, "photo").startswith("photo-flower") and "until then the photograph" in words(test)
    wide = np.zeros((300, 2_000, 3), np.uint8)
    wide[:, :1_000] = (200, 30, 30)
    upload(test, file(wide, "JPEG"), "wide.jpg")
    first = said(test, "photo")
    assert "| (154, 1024, 3)" in first and "your picture “wide.jpg”" in first
    assert "2,000 × 300 pixels, shrunk to 1,024 × 154" in words(test)
    upload(test, b"<svg></svg>", "x.svg")
    assert said(test, "photo") == first and "SVG" in test.error[0].value
    upload(test, file(wide, "JPEG"), "other name.jpg")
    assert said(test, "photo").split(" ")[0] == first.split(" ")[0]  # the same pixels, the same key
    test.button_group(key="photo_photo").set_value("china")
    assert said(clean(test.run()), "photo").startswith("photo-china")
    test.button_group(key="photo_photo").set_value("upload")
    assert said(clean(test.run()), "photo").split(" ")[0] == first.split(" ")[0]


def held(test: AppTest, name: str) -> str:
    """What the address holds under this name."""
    value = test.query_params[name]
    return value if isinstance(value, str) else value[-1]


def words(test: Any) -> str:
    return " ".join(one.value for one in test.caption).replace("\\", "")
