"""``dynid start``: the whole path as a page in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import OptionalProfile, Output, Port


def start_command(
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RECORDING",
            help="Any number, of any format (docs/recordings.md).",
            show_default=False,
        ),
    ] = None,
    profile: OptionalProfile = None,
    output: Output = Path("out"),
    port: Port = 0,
) -> None:
    """Go from a robot to its model step by step, on a page in a browser.

    Robot, motion, recording, identification, validation, collision thresholds: each step shows the
    command that it runs. The page is served on this computer alone until Ctrl-C, and opened if
    there is a display. It moves no robot.
    """
    from threading import Event

    from dynid.cli.interruption import interrupted_once
    from dynid.cli.start.session import StartSession
    from dynid.cli.start.site import StartSite
    from dynid.report.local_server import announce, answering, has_display, make_server

    session = StartSession(output, profile or "", recordings or [])
    site = StartSite(session)
    server = make_server(site.answer, accept=site.accept, port=port)
    with interrupted_once():
        try:
            with answering(server) as address:
                announce(address.rstrip("/") + site.root, browse=has_display())
                Event().wait()
        except KeyboardInterrupt:
            pass
        finally:
            session.end()
