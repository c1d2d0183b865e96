"""The room of the chain-rule ledger."""
