"""Training on tasks in place of texts: questions, exact answers, and the share of them that is right.

An encoder-decoder learns a text as questions and answers, too: `spans` cuts them out of it.
"""
