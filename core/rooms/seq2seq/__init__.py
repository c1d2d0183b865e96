"""The room of encoder and decoder with recurrent nets."""
