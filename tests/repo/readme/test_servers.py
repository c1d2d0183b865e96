"""The servers for a class: each command of the README is typed, answers at the address that it prints, and ends."""

import re
import urllib.request

import pytest

from tests.chromium import LONGEST_WAIT
from tests.repo.readme.blocks import typed
from tests.repo.readme.clone import Shell, Started, alone, clone, wait_until
from tests.safety.visitor import Visitor

__all__ = ["alone", "clone"]
pytestmark = [pytest.mark.full, pytest.mark.usefixtures("alone")]


def page_at(started: Started) -> str:
    """The first address that the command has printed, once it's printed as ready. Asked once: it must answer."""
    printed = wait_until(lambda: started.check() or re.search(r"http://[\w.:]+\d", started.printed()))
    return printed[0].replace("0.0.0.0", "127.0.0.1")


def visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=LONGEST_WAIT) as answer:
        assert answer.status == 200
    with Visitor(url) as visitor:
        visitor.open()
        assert not visitor.exceptions


def test_a_server_answers_at_the_address_that_it_prints(clone: Shell) -> None:
    """Fails when the address is printed before anybody answers there (fault 28), or the command doesn't start."""
    with clone.start(typed("python -m core.ui.server --processes 4")) as server:
        visit(page_at(server))
        server.check()
