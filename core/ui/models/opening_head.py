"""Which head to open first, see `core.inspect.opening_head`."""

from core.inspect.opening_head import far_reader, telling_head

__all__ = ["far_reader", "telling_head"]
