"""The sender of a request: the owner of the browser, the address, and whether it is this machine."""
