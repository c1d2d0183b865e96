"""The teacher's side of homework: give it, and check the receipts."""
