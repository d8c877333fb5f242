"""Entry points of dynid's nodes, which also handle signals while Python imports them."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from functools import partial
from types import ModuleType

from dynid_ros.stop import FINISHED, HANDLED, NOT_FINISHED, silence_closed_streams, write_error

_TASKS = ("identification_task", "replay_task", "wait_for_drives")  # 128 plus the signal's number
_PATIENT = ("rest_monitor",)  # what a signal begins
_HELP = """
Usage: ros2 run dynid {name} [--ros-args -p PARAMETER:=VALUE … -r NAME:=NAME …]

'ros2 param describe /{name} PARAMETER' describes a parameter while it runs; docs/ros2.md has all.
"""
_CHECK_PERIOD = 0.1  # [s] between checks of whether the import is over


def start(name: str) -> None:
    """Run the node in module ``name``; a signal during its import ends the process.

    That can take a minute on a busy machine, and there is nothing to shut down yet. Signals are
    blocked, not ignored, until the node handles them, so none is lost, also where an import
    replaces the process. The process ends without Python's own shutdown, which takes seconds on a
    busy machine, and in which threads of the middleware may hang.
    """
    if not {"-h", "--help"}.isdisjoint(sys.argv[1:]):
        purpose = importlib.import_module(f"dynid_ros.{name}").__doc__ or ""
        sys.stdout.write(f"{purpose.strip()}\n{_HELP.format(name=name)}")
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    try:
        module = _imported(name)
    except ImportError:
        from dynid.requirements import unmet_sentence  # noqa: PLC0415

        if not (unmet := unmet_sentence()):
            raise
        write_error(unmet)
        sys.exit(NOT_FINISHED)
    code = module.main()
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()  # moves the files of a run to their places
    silence_closed_streams()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _imported(name: str) -> ModuleType:
    """Return the module of a node."""
    over = threading.Event()
    watch = threading.Thread(target=_end_at_signal, args=(name, over), daemon=True)
    if name not in _PATIENT:
        watch.start()
    module = importlib.import_module(f"dynid_ros.{name}")
    over.set()
    if name not in _PATIENT:
        watch.join()
    return module


def _end_at_signal(name: str, over: threading.Event) -> None:
    """End the process at a signal, until the import is over; its signals are blocked."""
    # nohup ignores SIGHUP
    signals = [number for number in HANDLED if signal.getsignal(number) is not signal.SIG_IGN]
    while not over.is_set():
        taken = signal.sigtimedwait(signals, _CHECK_PERIOD)
        if taken is not None:
            write_error(
                f"interrupted by {signal.Signals(taken.si_signo).name} while {name} started"
            )
            os._exit(128 + taken.si_signo if name in _TASKS else FINISHED)


excitation_player = partial(start, "excitation_player")
external_wrench = partial(start, "external_wrench")
identification_task = partial(start, "identification_task")
identifier = partial(start, "identifier")
model_publisher = partial(start, "model_publisher")
online_estimator = partial(start, "online_estimator")
recorder = partial(start, "recorder")
replay_task = partial(start, "replay_task")
rest_monitor = partial(start, "rest_monitor")
simulated_robot = partial(start, "simulated_robot")
visualizer = partial(start, "visualizer")
wait_for_drives = partial(start, "wait_for_drives")


if __name__ == "__main__":
    start(sys.argv.pop(1))
