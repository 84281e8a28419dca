"""``python -m indexer``."""

import sys

from .entry import main

sys.exit(main())
