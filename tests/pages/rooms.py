"""What the tests of the rooms share: an app without a fault, and the words on it."""

from streamlit.testing.v1 import AppTest


def clean(test: AppTest) -> AppTest:
    """No exception, and no fault that the frame has caught."""
    assert not test.exception
    assert not [error.value for error in test.error]
    return test


def text_of(test: AppTest) -> str:
    return " ".join(element.value for element in [*test.markdown, *test.caption, *test.warning, *test.info])
