"""Training on tasks in place of texts: questions, exact answers, and the share of right answers.

An encoder-decoder learns a text as questions and answers, too: `spans` makes them from it.
"""
