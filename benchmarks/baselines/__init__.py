"""The usual recipes, each a program: ``python -m benchmarks.baselines.NAME TREE STORE --embeddings CLASS``.

It brings STORE in step with TREE and prints ``{"embedded": N}``.
``python -m benchmarks.baselines.live STORE --embeddings CLASS`` prints what can be found there.
"""
