"""Commands that take robot and model as arguments, or as ``--profile`` and ``--model``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from typer.core import TyperCommand, TyperGroup

_PROFILE, _MODEL = ("--profile", "-p"), ("--model", "-m")


class RobotCommand(TyperCommand):
    """A command whose first argument may be the robot, in place of ``--profile ROBOT``.

    It is where the command takes no such argument: beyond the number of its arguments, or, among
    its recordings, a file of a robot or the name of a shipped one. A model.yaml among recordings is
    ``--model``. Former names
    of options are accepted, too, and ``--profile`` where the robot is an argument; help does not
    show them.
    """

    old_options: Mapping[str, str] = {}
    list_below: Callable[[], Mapping[str, TyperCommand]] = dict
    """Returns the commands whose names begin with this one's, by their last word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments after replacing former names, and a robot that comes first."""
        if any(argument.metavar == "ROBOT" for argument in self._arguments):
            given = (argument.removeprefix("--profile=") for argument in args)
            args = [argument for argument in given if argument not in _PROFILE]
        words = [_Word(self._renamed(argument)) for argument in args]
        for option, find in ((_MODEL, self._model_of), (_PROFILE, self._robot_of)):
            found = None if ctx.resilient_parsing else find(ctx, words)
            if found is not None:
                words = [_Word(option[0]), found, *(word for word in words if word is not found)]
        return super().parse_args(ctx, [str(word) for word in words])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the line of usage, with the robot in its place."""
        options, *arguments = super().collect_usage_pieces(ctx)
        return [options, *(["[ROBOT]"] if self._option(_PROFILE) else []), *arguments]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write help, and name the commands below this one."""
        lines = (
            f"{ctx.command_path} {word}: {one.help}" for word, one in self.list_below().items()
        )
        self.epilog = "\n\n".join(lines)
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete options, words below, and robots where there is no argument of its own."""
        completed: list[Any] = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            below = TyperGroup(commands=dict(self.list_below()))
            completed += below.shell_complete(type(ctx)(below), incomplete)
        option, arguments = self._option(_PROFILE), self._arguments
        if option is None or arguments or incomplete.startswith("-"):
            return completed
        return [*completed, *option.shell_complete(ctx, incomplete)]

    def _option(self, names: tuple[str, str]) -> Any | None:
        return next((given for given in self.params if names[0] in given.opts), None)

    @property
    def _arguments(self) -> list[Any]:
        return [given for given in self.params if given.param_type_name == "argument"]

    def _model_of(self, ctx: Any, words: list[_Word]) -> _Word | None:
        """Return the argument among recordings that is a model.yaml; None where there is none."""
        from dynid.robot_files import names_model  # not needed by help and version

        if not self._takes_recordings:
            return None
        positional, _ = self._positional(ctx, words, self._option(_MODEL))
        return next((word for word in positional if names_model(word)), None)

    def _robot_of(self, ctx: Any, words: list[_Word]) -> _Word | None:
        """Return the argument that is the robot; None where there is none."""
        from dynid.robot_files import names_robot  # likewise

        positional, surplus = self._positional(ctx, words, self._option(_PROFILE))
        if surplus and not self._takes_recordings:
            return positional[0]
        robots = (word for word in positional if names_robot(word))
        return next(robots, None) if self._takes_recordings else None

    def _positional(
        self, ctx: Any, words: list[_Word], option: Any | None
    ) -> tuple[list[_Word], bool]:
        """Return the arguments, and whether there are more than the command takes.

        There are none where the command has no such ``option``, or it is given.
        """
        if option is None:
            return [], False
        given, surplus, _ = self.make_parser(ctx).parse_args(args=list(words))
        if given.get(option.name):
            return [], False
        values = [given.get(argument.name) for argument in self._arguments]
        several = (value if isinstance(value, tuple | list) else [value] for value in values)
        positional = [word for part in (*several, surplus) for word in part]
        return [word for word in positional if isinstance(word, _Word)], bool(surplus)

    @property
    def _takes_recordings(self) -> bool:
        taken = [(argument.metavar, argument.nargs) for argument in self._arguments]
        return taken == [("RECORDING", -1)]

    def _renamed(self, argument: str) -> str:
        name, equals, value = argument.partition("=")
        return f"{self.old_options.get(name, name)}{equals}{value}"


class _Word(str):
    """A word of the command line; it is found again among equal ones because it is an object."""

    __slots__ = ()
