"""Long work of a spinning node, in a thread; services and actions respond when it is done."""

from __future__ import annotations

import ctypes
import threading
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from dynid.errors import DynidError
from dynid_ros.long_action import Respond, late_service
from dynid_ros.node import ERROR, OK

if TYPE_CHECKING:
    from dynid_ros.node import DynidNode

_TIMEOUT = 5.0  # [s] for interrupted work to end, enough for one long calculation
_AGAIN = 1.0  # [s] after which a lost interruption is repeated


class TaskResponse(NamedTuple):
    """The response to a request."""

    success: bool
    sentence: str
    verdict: str = ""
    """The result as JSON; empty where there is none."""
    path: str = ""
    """Path of the main file written."""


Conclude = Callable[[], TaskResponse]
"""Publishes a result, in the thread that spins the node, and returns the response."""

Work = Callable[[Callable[[str], None]], Conclude]
"""Long work in a thread of its own; its argument is called with the name of each step."""


class Background:
    """One piece of long work at a time, for a node whose executor continues to spin."""

    def __init__(self, node: DynidNode) -> None:
        self._node = node
        self._thread: threading.Thread | None = None
        self._send: Callable[[TaskResponse], None] = lambda _answer: None
        self._show: Callable[[str], None] = lambda _step: None
        self._result: Conclude | None = None
        self._what = ""
        self._since = 0.0
        self.step = ""
        """Name of the current step; empty without work."""

    @property
    def busy(self) -> bool:
        """Whether there is work in progress."""
        return self._thread is not None

    def service(self, name: str, what: str, prepare: Callable[[], Work]) -> None:
        """Offer work as a Trigger service.

        Args:
            name: of the service.
            what: the work in a word, such as ``identifying``.
            prepare: called on each request, in the thread that spins the node; returns the work,
                or raises a DynidError to refuse.
        """

        def begin(respond: Respond) -> None:
            self.begin(what, prepare, lambda answer: respond(answer.success, answer.sentence))

        late_service(self._node, name, begin)

    def begin(
        self,
        what: str,
        prepare: Callable[[], Work],
        send: Callable[[TaskResponse], None],
        show: Callable[[str], None] = lambda _step: None,
    ) -> None:
        """Start work, unless there is some in progress.

        Args:
            what: the work in a word.
            prepare: as for :meth:`service`.
            send: called once with the response, in the thread that spins the node.
            show: called with the name of each step, in that thread.
        """
        if self.busy:
            elapsed = time.monotonic() - self._since
            sentence = (
                f"{self._node.get_name()} has been {self._what} for {elapsed:.1f} s "
                f"({self.step}); call again when it has finished."
            )
            send(TaskResponse(False, sentence))
            return
        self._send, self._show, self._what, self.step = send, show, what, what
        self._result, self._since = None, time.monotonic()
        try:
            work = prepare()
        except DynidError as error:
            self._answer(self._refusal(str(error)))
            return
        self._node.health(OK, what)
        # a daemon: a long calculation does not prevent the process from ending
        self._thread = threading.Thread(target=self._run, args=(work,), name=what, daemon=True)
        self._thread.start()

    def interrupt(self) -> None:
        """Interrupt the work in progress, as Ctrl-C on a command line, and respond."""
        if self._thread is None:
            return
        deadline = time.monotonic() + _TIMEOUT
        while self._thread.is_alive() and time.monotonic() < deadline:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(_Interrupted)
            )
            self._thread.join(_AGAIN)
        if self._result is None:
            self._answer(
                TaskResponse(
                    False, f"interrupted while {self._what}; its files are all old or all new."
                )
            )
        else:  # it had just been done
            self._conclude()

    def _run(self, work: Work) -> None:
        """Work in the thread, then pass the result to the thread that spins the node."""
        try:
            conclude = work(self._publish_step)
        except _Interrupted:
            return  # interrupt() responds
        except DynidError as error:
            sentence = str(error)
            conclude = lambda: self._refusal(sentence)  # noqa: E731
        # a bug must neither leave a caller waiting nor end the node
        except Exception as error:  # noqa: BLE001
            self._node.get_logger().error(traceback.format_exc())
            sentence = f"{self._what} ended by a bug in dynid ({error!r}); see its log."
            conclude = lambda: self._refusal(sentence)  # noqa: E731
        self._result = conclude
        self._pass_on(self._conclude)

    def _pass_on(self, action: Callable[[], None]) -> None:
        """Run an action in the thread that spins the node."""
        executor = self._node.executor
        if executor is not None:  # None while the node is being destroyed
            executor.create_task(action)

    def _conclude(self) -> None:
        """Publish the result and respond, in the thread that spins the node."""
        if self._thread is not None and self._result is not None:
            self._answer(self._result())

    def _publish_step(self, step: str) -> None:
        self.step = step
        show = self._show
        self._pass_on(lambda: show(step))

    def _refusal(self, sentence: str) -> TaskResponse:
        self._node.health(ERROR, sentence)
        return TaskResponse(False, sentence)

    def _answer(self, answer: TaskResponse) -> None:
        self._thread = None
        self.step = ""
        log = self._node.get_logger()
        if answer.success:
            log.info(answer.sentence)
        else:
            log.error(answer.sentence)
        self._send(answer)


class _Interrupted(BaseException):
    """Raised inside the thread; not an Exception, so that no handler takes it for an error."""
