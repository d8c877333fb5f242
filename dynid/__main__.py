"""``python -m dynid`` is ``dynid``."""

from dynid.cli import main

main()
