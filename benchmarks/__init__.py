"""What the product costs beside the usual recipes: run ``python -m benchmarks.peers --help``."""
