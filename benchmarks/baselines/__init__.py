"""The usual recipes, each a program: ``python -m benchmarks.baselines.NAME TREE STORE [--live]``.

It brings STORE in step with TREE and prints ``{"embedded": N}``; with ``--live`` it changes
nothing and prints what can be found: one ``[path, text]`` a line, as JSON.
"""
