"""The room of recurrent nets."""
