"""Followers: systems beside the index that are kept in step with every commit, through any outage.

    follower = open_follower(settings, Feed(settings), Ledger(folder), "graph")
    follower.step()         one step; seconds until the next one is worth while, None when all is there

The commit log is the queue: a cursor stands still while the other side is away, and what is sent afterwards is the newest
state of each document that changed since. What is known to be over there is in the ledger, written before and after each
step, so that a process may die anywhere. Importing this package loads nothing; only configured followers cost anything.
"""

from __future__ import annotations
