"""The commands by name, loaded when they are called: help and version import nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial, wraps
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dynid.cli.command_table import CORE_COMMANDS, GUESSED, RENAMED, CommandEntry
from dynid.cli.robot_argument import RobotCommand
from dynid.errors import ConfigurationError
from dynid.guessed_names import renamed
from dynid.input_file import inputs_kept
from dynid.text import printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_UNUSABLE = "Plug-ins that cannot be loaded"


def find_command(name: str) -> CommandEntry | None:
    """Return where a command is, or None; a plug-in is not imported, only what it registers."""
    if name in CORE_COMMANDS:
        return CORE_COMMANDS[name]
    from dynid.plugins import COMMANDS, registered  # reading entry points takes time

    family, _, word = name.rpartition(" ")
    found = registered(COMMANDS).get(word)
    entry = None if found is None else _registered_entry(found)
    return entry if entry is not None and entry.family == family else None


@cache
def all_commands() -> Mapping[str, CommandEntry]:
    """Return the commands in the order of the list; those of plug-ins at the end of their group."""
    from dynid.plugins import COMMANDS, registered

    plugins = {}
    for word, registration in registered(COMMANDS).items():
        entry = _registered_entry(registration)
        plugins[f"{entry.family} {word}".lstrip()] = entry
    entries = {**CORE_COMMANDS, **{k: v for k, v in plugins.items() if k not in CORE_COMMANDS}}
    groups = list(dict.fromkeys(entry.group for entry in entries.values()))
    return dict(sorted(entries.items(), key=lambda pair: groups.index(pair[1].group)))


def commands_below(name: str) -> Mapping[str, TyperCommand]:
    """Return the lines of the list of the commands below one, or of all with "", by their word."""
    families = ((full, *full.rpartition(" ")[::2]) for full in all_commands())
    return {word: _listed(word, full) for full, family, word in families if family == name}


def _registered_entry(registration: EntryPoint) -> CommandEntry:
    from dynid.plugins import extra_of

    try:
        entry: CommandEntry = registration.load()
    except Exception as error:  # noqa: BLE001  of any plug-in: the other commands must work
        summary = f"Not available: {error}"
        entry = CommandEntry(_UNUSABLE, registration.module, registration.attr, summary)
    return entry._replace(extra=extra_of(registration))


class CommandGroup(TyperGroup):
    """Lists the commands by their summaries, and loads the one that is called."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        plain_help(self)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  of click
        """Return the names of all commands; the first time, with those of plug-ins."""
        listed = commands_below("")
        self.commands = {**listed, **self.commands}
        return list(listed)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Load the command that the arguments name, in one or two words, and return it."""
        if args[0] in ("help", "version"):
            args = ["--version"] if args[0] == "version" else [*args[1:], "--help"]
            if args[0].startswith("-"):
                super().parse_args(ctx, args)  # prints, and ends
        name, rest = _named(_robot_behind(args), quiet=ctx.resilient_parsing)
        if find_command(name) is not None:
            self.commands[name] = load_command(name)
        elif not ctx.resilient_parsing and (hint := _instead(name)):
            raise ConfigurationError(f"'{printable(name)}' is no command of dynid; {hint}")
        else:
            self.list_commands(ctx)  # from which the nearest name is suggested
        return super().resolve_command(ctx, [name, *rest])


def _robot_behind(args: list[str]) -> list[str]:
    """Return arguments with a robot that comes first behind the command that it comes before."""
    first, *rest = args
    if find_command(first) is not None or not rest or find_command(rest[0]) is None:
        return args
    below = len(rest) > 1 and find_command(f"{rest[0]} {rest[1]}") is not None
    words = 2 if below else 1
    return [*rest[:words], first, *rest[words:]]


def _instead(name: str) -> str:
    """Return what to write in place of a word that is no command, in a clause; "" if unknown."""
    from dynid.input_file import exists
    from dynid.robot_files import names_robot

    guessed = [command for command, words in GUESSED.items() if name in words.split()]
    if guessed:
        return f"did you mean 'dynid {guessed[0]}'?"
    if names_robot(name):
        return f"it is a robot, so a command comes before it, such as dynid demo {name}."
    if exists(Path(name)):
        return f"it is a file, so a command comes before it, such as dynid info {name}."
    return ""


def _named(args: list[str], *, quiet: bool) -> tuple[str, list[str]]:
    """Return the command that arguments name, and those behind its name.

    Args:
        args: with former words of commands, too.
        quiet: whether no hint is printed for these.
    """
    first, *rest = args
    if rest and _WORD.fullmatch(rest[0]) and find_command(f"{first} {rest[0]}") is not None:
        return f"{first} {rest[0]}", rest[1:]
    flag = next((option for option in rest if f"{first} {option}" in RENAMED), "")
    former = f"{first} {flag}".rstrip()
    present = not rest or rest[0] in _HELP or _WORD.fullmatch(rest[0]) is not None
    if former not in RENAMED or (present and find_command(former) is not None):
        return first, rest  # a name with commands below it, which had files behind it before
    if not quiet:
        from dynid.report.terminal.console import print_message

        print_message(renamed(f"`dynid {former}`", f"`dynid {RENAMED[former]}`"), kind="note")
    return RENAMED[former], [one for one in rest if one != flag]


def _listed(word: str, name: str) -> TyperCommand:
    """Return the line of a command in the list; it cannot be called."""
    entry = all_commands()[name]
    line = TyperCommand(word, help=entry.summary, rich_help_panel=entry.group)
    plain_help(line)
    return line


_WORD = re.compile(r"[a-z-]+")
_HELP = ("-h", "--help")

IN_PLACE = ("seal",)
"""Commands that write to their input."""


def load_command(name: str) -> Any:
    """Import a command and all that it needs.

    Raises:
        KeyError: there is none of this name.
        ConfigurationError: a library is missing, of which the text names the extra.
    """
    from dynid.plugins import naming_extra

    entry = find_command(name)
    if entry is None:
        raise KeyError(name)
    if not entry.module:
        return _with_commands_below(
            TyperGroup(name=name, help=entry.summary, no_args_is_help=True), name
        )
    app: typer.Typer | Callable[..., None]
    with naming_extra(f"dynid {name}", entry.extra):
        attribute = entry.attribute or f"{name.replace(' ', '_')}_command"
        app = getattr(import_module(entry.module), attribute)
    if not isinstance(app, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(app)
        app = alone
    for registered in app.registered_commands:
        registered.cls = RobotCommand
        if registered.callback is not None and registered.name not in IN_PLACE:
            registered.callback = keeping_inputs(registered.callback)
        if registered.callback is not None and entry.extra:
            registered.callback = naming_extra(f"dynid {name}", entry.extra)(registered.callback)
    command = typer.main.get_command(app)
    command.name = name
    if isinstance(command, RobotCommand):
        command.old_options = entry.old_options
        command.list_below = partial(commands_below, name)
    plain_help(command)
    return _with_commands_below(command, name) if isinstance(command, TyperGroup) else command


def _with_commands_below(group: TyperGroup, name: str) -> TyperGroup:
    """Add the lines of the commands that are called by the name of a group and a word."""
    lines = {
        word: line for word, line in commands_below(name).items() if word not in group.commands
    }
    for line in lines.values():
        line.rich_help_panel = None
    group.commands = {**group.commands, **lines}
    return group


def plain_help(command: Any) -> None:
    """Make all help of a command plain text, in paragraphs that wrap where the terminal ends.

    Square brackets are escaped, so that ``[m]`` is a unit and not markup. Flags show no type.
    """
    for parameter in command.params:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    for parameter in (command, *command.params):
        for attribute in ("help", "short_help", "epilog"):
            text = getattr(parameter, attribute, None)
            if text:
                setattr(
                    parameter, attribute, _plain(text, getattr(command, "rich_markup_mode", None))
                )
    for below in getattr(command, "commands", {}).values():
        plain_help(below)


def _plain(text: str, markup_mode: str | None) -> str:
    paragraphs = cleandoc(text).split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    if markup_mode != "rich" or "[" not in text:
        return text
    from rich.markup import escape

    return escape(text)


OUTPUTS = frozenset({"apply", "output", "profile_out", "destination"})
"""Names of the options and arguments that a command writes to."""

INTO_MODEL = "into_model"
"""Name of the option to write into the file of ``model``."""

_NAMES_OR_FILES = ("profile", "robot")  # options that take the name of a shipped robot, or a file
_RECORDINGS = ("recordings", "recording")


def keeping_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that refuses to write to the files that its other options name.

    A robot or recording that does not exist is refused before the command imports what computes.
    """

    @wraps(command)
    def kept(**options: Any) -> None:
        _check_present(options)
        with inputs_kept(_input_files(options)):
            command(**options)

    return kept


def _check_present(options: dict[str, Any]) -> None:
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if name in _NAMES_OR_FILES and isinstance(item, str):
                from dynid.robot_files import find_robot_file  # not needed by help and version

                find_robot_file(item)
            elif name in _RECORDINGS and isinstance(item, Path):
                _check_recording(item)


def _check_recording(path: Path) -> None:
    """Refuse what is no recording by its name, or does not exist.

    An episode of a LeRobot dataset exists within another file.
    """
    from dynid.input_file import exists  # not needed by help and version
    from dynid.recording.bag_folder import require_present
    from dynid.robot_files import names_robot, similar_robot

    shown = printable(path)
    if names_robot(str(path)):
        raise ConfigurationError(
            f"{shown}: is no recording but a robot or a model; `dynid view {shown}` shows a robot."
        )
    if exists(path) or path.name.startswith("episode_"):
        return
    if not path.suffix and (meant := similar_robot(path)):
        raise ConfigurationError(f"{shown}: there is no such recording, and no such robot; {meant}")
    require_present(path)


def _input_files(options: dict[str, Any]) -> Iterator[Path]:
    for name, value in options.items():
        if name == "model" and options.get(INTO_MODEL):
            continue
        for item in value if isinstance(value, list) else [value]:
            if name in _NAMES_OR_FILES and isinstance(item, str):
                yield from _files_of(Path(item))
            elif isinstance(item, Path) and name not in OUTPUTS:
                yield from _files_of(item)


def _files_of(path: Path) -> Iterator[Path]:
    """Yield a file, or the files of a bag."""
    try:
        if path.is_file():
            yield path
        elif (path / "metadata.yaml").is_file():
            yield path / "metadata.yaml"
            listed = (path / "metadata.yaml").read_text("utf-8", "replace")
            yield from (entry for entry in path.iterdir() if entry.name in listed)
    except (OSError, ValueError):  # of a name that no file can have; the command reports it
        return
