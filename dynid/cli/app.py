"""The command line: arguments in, calls into the library, tables or JSON out.

Exit codes: 0 good, 1 ran but failed its criterion, 2 bad input.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from dynid.cli.check import check_command
from dynid.cli.demo import demo_command
from dynid.cli.diagnose import diagnose_command
from dynid.cli.drive_gains import drive_gains_command
from dynid.cli.drives import drives_command
from dynid.cli.excite import excite_command
from dynid.cli.friction import friction_command
from dynid.cli.identify import identify_command, validate_command
from dynid.cli.import_dh import import_dh_command
from dynid.cli.model import model_app
from dynid.cli.payload_mass import payload_mass_command
from dynid.cli.recordings import convert_command, info_command
from dynid.cli.retrieve import retrieve_command
from dynid.cli.robots import robots_command
from dynid.cli.tracking import tracking_command
from dynid.cli.tune_collision import tune_collision_command
from dynid.cli.view import view_command
from dynid.errors import DynidError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="From a recording of a robot to a dynamic model that can be trusted and run.",
    pretty_exceptions_enable=False,
)

app.command("excite")(excite_command)
app.command("check")(check_command)
app.command("identify")(identify_command)
app.command("validate")(validate_command)
app.command("diagnose")(diagnose_command)
app.command("convert")(convert_command)
app.command("info")(info_command)
app.command("demo")(demo_command)
app.command("friction")(friction_command)
app.command("drives")(drives_command)
app.command("drive-gains")(drive_gains_command)
app.command("import-dh")(import_dh_command)
app.command("payload-mass")(payload_mass_command)
app.command("retrieve")(retrieve_command)
app.command("robots")(robots_command)
app.command("tracking")(tracking_command)
app.command("tune-collision")(tune_collision_command)
app.command("view")(view_command)
app.add_typer(model_app, name="model")


def main() -> None:
    """Run the command line; a user's mistake becomes one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without UTF-8 gets question marks
            stream.reconfigure(errors="replace")
    try:
        app()
    except DynidError as error:
        typer.echo(f"dynid: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has had enough
    except OSError as error:
        name = error.filename or "a file"
        typer.echo(f"dynid: {name}: {error.strerror or error}.", err=True)
        sys.exit(2)
