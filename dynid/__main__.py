"""Runs ``dynid`` as ``python -m dynid``."""

from dynid.cli.app import main

main()
