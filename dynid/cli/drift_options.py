"""Options of every command that detects changes over many recordings."""

from typing import Annotated

import typer

Reference = Annotated[
    int, typer.Option(metavar="N", min=4, help="First recordings of a robot, taken as unchanged.")
]
FalseAlarms = Annotated[float, typer.Option(metavar="RATE", help="Accepted rate for each robot.")]
Simulations = Annotated[
    int, typer.Option(metavar="N", min=50, help="Simulated years for each threshold.")
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Of the simulated years.")]
