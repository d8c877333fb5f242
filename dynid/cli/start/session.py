"""What the user of the page has chosen and run."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

from dynid.cli.start.folder import files_in, make, recordings_in, robots_in
from dynid.cli.start.job import Job
from dynid.cli.start.steps import STEPS, StartStep, StepInputs
from dynid.errors import ConfigurationError
from dynid.robot_files import shipped_profiles
from dynid.text import printable

Use = Literal["identification", "validation", "nothing"]


class StartSession:
    """The choices of the user, and the commands that ran; several threads may use it.

    Nothing is taken by a name that was not offered: robots are those shipped, recordings those in
    the folder, and both those named on the command line.

    Args:
        folder: for all results and uploads.
        robot: shipped robot or file; "" for none.
        recordings: outside of the folder.
    """

    def __init__(self, folder: Path, robot: str = "", recordings: Sequence[Path] = ()) -> None:
        self.folder = folder
        self._robot = robot
        self._named_robots = [robot] if robot else []
        self._named_recordings = [str(path) for path in recordings]
        self._uses: dict[str, Use] = {}
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def run(self, name: str) -> None:
        """Start the command of a step.

        Raises:
            ConfigurationError: another one is running, or something is missing.
            WriteError: the folder cannot be created.
        """
        with self._lock:
            self._refuse_while_running()
            step = next((one for one in STEPS if one.name == name and one.runs), None)
            if step is None:
                raise ConfigurationError(f"step {printable(name)}: there is none that runs.")
            inputs = self._inputs()
            if missing := step.missing(inputs):
                raise ConfigurationError(missing)
            make(self.folder)
            self._jobs[name] = Job(step.words(inputs))

    def stop(self) -> None:
        """Interrupt the running command, if any; the second time, kill it."""
        with self._lock:
            for job in self._jobs.values():
                if job.running:
                    job.stop()

    def end(self) -> None:
        """Stop the running command, if any, and wait until it has ended."""
        with self._lock:
            for job in self._jobs.values():
                job.end()

    def choose_robot(self, name: str) -> None:
        """Take another robot, and forget what ran with the one before.

        Raises:
            ConfigurationError: it was not offered, or a command is running.
        """
        with self._lock:
            self._refuse_while_running()
            if name not in self._robots():
                raise ConfigurationError(f"robot {printable(name)}: is not in the list.")
            if name != self._robot:
                self._robot, self._jobs = name, {}

    def choose_use(self, recording: str, use: str) -> None:
        """Take a recording for identification, validation or nothing.

        Raises:
            ConfigurationError: it is not in the list, or there is no such use.
        """
        with self._lock:
            if recording not in self._recordings() or use not in get_args(Use):
                raise ConfigurationError(f"recording {printable(recording)}: is not in the list.")
            self._uses[recording] = use  # type: ignore[assignment]  # was checked

    def state(self) -> dict[str, Any]:
        """Return all that the page shows, for JSON."""
        with self._lock:
            inputs = self._inputs()
            running = next((name for name, job in self._jobs.items() if job.running), "")
            return {
                "folder": str(self.folder),
                "robot": self._robot,
                "robots": self._robots(),
                "recordings": [{"name": name, "use": use} for name, use in self._used().items()],
                "running": running,
                "progress": self._jobs[running].progress() if running else {},
                "steps": [self._step_state(step, inputs) for step in STEPS],
                "files": [self._address(path) for path in files_in(self.folder)],
            }

    def file(self, address: str) -> Path | None:
        """Return a file that ``state`` lists, or None."""
        with self._lock:
            known = {self._address(path): path for path in files_in(self.folder)}
        return known.get(address)

    def _step_state(self, step: StartStep, inputs: StepInputs) -> dict[str, Any]:
        job = self._jobs.get(step.name)
        ran = {}
        if job is not None:
            ran = {
                "ran": job.command,
                "begun": job.begun,
                "output": job.output,
                "code": job.code,
                "interrupted": job.interrupted,
                "results": [] if job.running else self._results(step, job, inputs),
            }
        return {
            "name": step.name,
            "command": shlex.join(step.words(inputs)),
            "missing": step.missing(inputs),
            **ran,
        }

    def _results(self, step: StartStep, job: Job, inputs: StepInputs) -> list[str]:
        paths = (self.folder / name.format(stem=inputs.stem) for name in step.results)
        return [
            self._address(path)
            for path in paths
            if path.is_file() and path.stat().st_mtime >= job.begun
        ]

    def _address(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def _inputs(self) -> StepInputs:
        uses = self._used()
        return StepInputs(
            self.folder,
            self._robot,
            tuple(name for name, use in uses.items() if use == "identification"),
            tuple(name for name, use in uses.items() if use == "validation"),
            has_ros=shutil.which("ros2") is not None,
        )

    def _robots(self) -> list[str]:
        return list(
            dict.fromkeys([*self._named_robots, *robots_in(self.folder), *shipped_profiles()])
        )

    def _recordings(self) -> list[str]:
        return list(dict.fromkeys([*self._named_recordings, *recordings_in(self.folder)]))

    def _used(self) -> dict[str, Use]:
        """Return all recordings with their uses: without a choice, the last one validates."""
        names = self._recordings()
        usual: dict[str, Use] = dict.fromkeys(names, "identification")
        if len(names) > 1:
            usual[names[-1]] = "validation"
        return {name: self._uses.get(name, usual[name]) for name in names}

    def _refuse_while_running(self) -> None:
        running = next((job for job in self._jobs.values() if job.running), None)
        if running is not None:
            raise ConfigurationError(f"{running.command} is still running; stop it first.")
