"""``python -m dynid`` is ``dynid``."""

from dynid.cli.app import main

main()
