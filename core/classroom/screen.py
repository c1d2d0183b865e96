"""A screen of a class: what it is told, and how much it may say."""

import asyncio
import json
import time
from collections.abc import Mapping

from starlette.websockets import WebSocket

BURST, PER_SECOND = 40.0, 10.0  # messages of a screen


class MessageBudget:
    """So many at once, and then so many a second."""

    def __init__(self, burst: float, per_second: float) -> None:
        self.burst, self.per_second = burst, per_second
        self._left, self._then = burst, time.monotonic()

    def may(self, cost: float = 1.0) -> bool:
        """Whether one more is not too many."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._then) * self.per_second) - cost
        self._then = now
        return self._left >= 0.0


class Screen:
    """A screen: what it is to be told, and what it was told last."""

    def __init__(self, socket: WebSocket, role: str, who: str, key: str) -> None:
        """Serve a learner, `who`; or a "desk" or "projector" with this key."""
        self.socket, self.role, self.who, self.key = socket, role, who, key
        self.news = asyncio.Event()
        self.messages = MessageBudget(BURST, PER_SECOND)
        self._next: str | None = None
        self._last = ""
        self._is_over = False

    def tell(self, told: str) -> None:
        """The newest; what was not sent before it is forgotten."""
        if told != self._last and not self._is_over:
            self._last = self._next = told
            self.news.set()

    def end(self, told: Mapping[str, object]) -> None:
        """Say a last word, and close."""
        self.tell(json.dumps(told))
        self._is_over = True

    async def send(self) -> None:
        """Send what there is, until the screen ends."""
        while True:
            await self.news.wait()
            self.news.clear()
            if self._next is not None:
                text, self._next = self._next, None
                await self.socket.send_text(text)
            if self._is_over:
                await self.socket.close()
