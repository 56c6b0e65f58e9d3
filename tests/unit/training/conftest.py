"""Training code lies beside the package, not in it; the loop itself needs torch, which nothing else does."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

# torch comes with gigabytes of GPU libraries: whoever trains has it, and for everyone else this is no missing set-up
collect_ignore = [] if find_spec("torch") else ["test_training_end_to_end.py"]
