"""The address of a scheduler, as people write it, and a warning if strangers could reach it."""

import ipaddress
import re

SCHEDULER_ADDRESS = re.compile(r"(tcp|tls)://(\S+):(\d+)")


def exposure_warning(address: str) -> str | None:
    """Return a warning if an address sends everything unencrypted over a network, or None if it doesn't.

    Args:
        address: of the scheduler, "tcp://10.0.0.1:8786" or "tls://…".
    """
    found = SCHEDULER_ADDRESS.fullmatch(address)
    if found is None or found[1] == "tls" or _is_loopback(found[2]):
        return None
    return (
        f"{address} is neither encrypted nor protected: anyone who can reach its port can run any program on this "
        "machine and on every machine of the cluster. Use a tls:// address; README.md has the commands, under More "
        "machines."
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, which may lead anywhere
        return False
