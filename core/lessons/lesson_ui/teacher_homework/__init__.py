"""The teacher's side of homework: assigning it, and checking the receipts."""
