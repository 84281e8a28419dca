"""The benchmarks lie beside the package, not in it: put the project's root on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
