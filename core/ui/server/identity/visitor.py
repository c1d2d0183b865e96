"""The visitor for whom a script runs: whether they are at this machine, and the mark by which stores count them."""

from collections.abc import Iterable, Mapping

import streamlit as st
from streamlit import config
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.ui.server.identity.client_ip import forwarded_address, ip_address_digest
from core.ui.server.load_balanced_server import n_server_process
from core.ui.server.security_middleware import LOCAL_HOSTS, allowed_hosts

# Headers that a proxy adds; its visitors may come from anywhere, although its requests come from this machine.
_FORWARDED = ("x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via")


def is_own_machine(asked: Mapping[str, str] | None = None) -> bool:
    """Return whether this server can be reached only from this machine, without a proxy in between.

    Args:
        asked: headers of a visitor's request; None: those of the visitor for whom the script runs.
    """
    if n_server_process() is not None:  # all requests come through HAProxy, which listens elsewhere
        return False
    address = config.get_option("server.address")
    hosts = allowed_hosts(address, config.get_option("server.allowedHosts"))
    return _is_local_only(address, hosts, st.context.headers if asked is None else asked)


def _is_local_only(address: str | None, hosts: Iterable[str], headers: Mapping[str, str]) -> bool:
    """Apply the rule of `is_own_machine`.

    Args:
        address: the address that the server is bound to; None: all addresses of the machine.
        hosts: the names that it answers to.
        headers: those of the visitor's request.
    """
    is_loopback = address in LOCAL_HOSTS
    is_private = all(host in LOCAL_HOSTS for host in hosts)
    names = {name.lower() for name in headers}
    return is_loopback and is_private and not names & set(_FORWARDED)


def visitor_address_digest() -> str:
    """Return the visitor's address mark; "" on the user's own machine, without other visitors, and outside a script."""
    if get_script_run_ctx(suppress_warning=True) is None or is_own_machine():
        return ""
    return ip_address_digest(
        forwarded_address(st.context.ip_address or "127.0.0.1", st.context.headers.get_all("x-forwarded-for"))
    )
