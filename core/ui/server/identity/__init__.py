"""The sender of a request: whose browser it is, from which address, and whether it comes from this machine."""
