"""What every test shares: hypothesis without a clock, because machines differ."""

import os
import sys
from pathlib import Path

# before numpy is imported, here and in every process that a test starts: matrices are small, and
# threads that wait for each other take a quarter of the time of a run on all processors
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# where Python may not write bytecode beside the sources, it writes it into build/: otherwise each
# of the hundreds of processes that tests start compiles dynid anew, and pytest all tests
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / "build" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dynid", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# of `make test`, which must not fail by chance: `make test-all` searches for new examples
settings.register_profile(
    "same-every-time", settings.get_profile("dynid"), derandomize=True, max_examples=30
)
settings.load_profile("same-every-time")
