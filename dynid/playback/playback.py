"""The sequence of a playback: motion to the start, excitation, rest; or an early stop."""

from __future__ import annotations

from enum import Enum

from dynid.errors import PlaybackError
from dynid.excitation.checks import check_reachable, sliding_joints
from dynid.excitation.plausible_limits import refusal
from dynid.playback.commander import Commander, LateError, RobotClock
from dynid.playback.monitor import Monitor, make_monitor, supervises_torque, supervision
from dynid.playback.motions import point_to_point
from dynid.playback.options import Clock, Options, Outlet
from dynid.playback.plan import Plan
from dynid.playback.robot_state import (
    HoldWatch,
    InputWatch,
    JointStateSample,
    RestWatch,
    StateReader,
    check_state,
)
from dynid.playback.trajectory import Trajectory, sample


class PlaybackPhase(Enum):
    """Phases of a playback; slowing down is part of settling."""

    IDLE = "idle"
    MOVING = "moving"
    READY = "ready"
    PLAYING = "playing"
    SETTLING = "settling"
    STOPPING = "stopping"
    FINISHED = "finished"
    ABORTED = "aborted"


SUPERVISED = (PlaybackPhase.MOVING, PlaybackPhase.PLAYING, PlaybackPhase.SETTLING)
"""Phases in which the robot is supervised."""

UNDER_WAY = (*SUPERVISED, PlaybackPhase.STOPPING)
"""Phases in which the robot moves, or may still move."""
_LONGEST_WAY = 60.0  # [s] longest motion of the reference to a blocked robot
_TIMEOUT = 5.0  # [s] for a motion to come to rest after its end
_MISSED = "the stop did not reach the robot in time: it rests where an earlier message ended"


class Playback:
    """Commands one robot. Its methods take events, and it sends trajectories to an outlet."""

    def __init__(self, reader: StateReader, clock: Clock, outlet: Outlet) -> None:
        """Start idle."""
        self._reader = reader
        self._joints = reader.joints
        self._clock = RobotClock(clock)
        self._inputs = InputWatch(clock)
        self._outlet = outlet
        self._phase = PlaybackPhase.IDLE
        self._reason = ""
        self._late = False  # whether it was aborted because this computer was too slow
        self._options = Options()
        self._play_next = False
        self._reference_moved = False
        self._abandoned = False  # whether the controller holds the robot by itself
        self._state: JointStateSample | None = None
        self._rest = RestWatch()
        self._hold = HoldWatch(self._joints, ())
        self._deadline = 0.0  # [s] on the steady clock, to be at rest after a stop
        self._silent = False  # without joint states in that time
        # set by the first motion
        self._plan: Plan | None = None
        self._commander: Commander | None = None
        self._monitor: Monitor | None = None

    @property
    def state(self) -> str:
        """``idle``, ``moving``, …, ``finished``, or ``aborted: `` or ``late: `` and the reason.

        After ``late`` the robot is at rest without a fault, and the motion can be repeated.
        """
        if self._phase is PlaybackPhase.STOPPING:
            return PlaybackPhase.SETTLING.value
        if self._phase is PlaybackPhase.ABORTED:
            return f"{'late' if self._late else 'aborted'}: {self._reason}"
        return str(self._phase.value)

    @property
    def reason(self) -> str:
        """Why the last motion was aborted; empty where none was."""
        return self._reason if self._phase is PlaybackPhase.ABORTED else ""

    @property
    def under_way(self) -> bool:
        """Whether the robot moves or may still move."""
        return self._phase in UNDER_WAY

    @property
    def peaks(self) -> dict[str, float]:
        """Largest tracking error of each joint in the last motion [rad or m]."""
        if self._monitor is None or self._plan is None:
            return {}
        return dict(zip(self._plan.robot.joints, self._monitor.peaks.tolist(), strict=True))

    @property
    def resting(self) -> bool:
        """Whether the robot is at rest according to its newest states."""
        return self._rest.at_rest

    @property
    def not_held(self) -> str:
        """Joints that the last stop did not hold, with times and distances; or empty."""
        return self._hold.sentence()

    @property
    def pauses(self) -> str:
        """The longest pauses of this process and of its joint states in this motion."""
        inputs, options = self._inputs, self._options
        return (
            f"The player paused for up to {inputs.longest_pause:.2f} s (parameter horizon: "
            f"{options.horizon:g} s), its joint states for {inputs.longest_silence:.2f} s "
            f"(max_age: {options.max_age:g} s)."
        )

    @property
    def clock_offset(self) -> float:
        """Offset of the robot's clock from this computer's, positive if ahead [s]."""
        return self._clock.offset_ns * 1e-9

    @property
    def remaining(self) -> float:
        """Time to the end of the current trajectory [s]."""
        if self._commander is None or not self.under_way:
            return 0.0
        return self._commander.remaining

    def prepare(self, plan: Plan, options: Options, requested_at: float | None = None) -> str:
        """Move to the start of a plan, and return a sentence.

        Joint states may be missing while the plan is made, so ``requested_at`` is the time of the
        request on the steady clock [s], None for now.

        Raises:
            PlaybackError: the robot must not move, with the reason; it does not move.
        """
        self.refuse_while_under_way()
        return self._move(plan, options, requested_at, play=False)

    def start(self, plan: Plan, options: Options, requested_at: float | None = None) -> str:
        """Play a plan, after moving to its start where the robot is not there yet.

        The arguments are those of :meth:`prepare`.

        Raises:
            PlaybackError: the robot must not move, with the reason; it does not move.
        """
        self.refuse_while_under_way()
        if self._phase is PlaybackPhase.READY and plan is self._plan and self._commander:
            state = self._checked_state(plan, options, requested_at)
            if self._commander.is_at(state.position):
                self._command(self._commander, plan.trajectory, plan, options)
                self._phase = PlaybackPhase.PLAYING
                return f"playing for {plan.trajectory.duration:.1f} s."
        return self._move(plan, options, requested_at, play=True)

    def stop(self, reason: str = "the motion was stopped on request.") -> str:
        """Bring the robot to rest, and return a sentence."""
        if self._phase is PlaybackPhase.STOPPING:
            return "the robot is already being brought to rest."
        if not self.under_way:
            return "no motion is under way."
        self._stop(reason)
        return "bringing the robot to rest on its path."

    def fail(self, reason: str) -> None:
        """Abort the current motion, if there is one, because its controller did.

        Such a controller holds the robot, or comes to rest on the last message. Nothing more is
        sent, because a trajectory from the present point of the motion would cause a jump.
        """
        if self._commander is None or not self.under_way or self._abandoned:
            return
        self._abandoned = True
        self._commander.abandon()
        if self._phase is PlaybackPhase.STOPPING:
            self._reason = _not_stopped(self._reason, reason)
        else:
            self._wait_for_rest(reason, self._commander)

    def fault(self, reason: str) -> None:
        """Stop the current motion, if there is one, because the robot reports a fault."""
        if self._phase in SUPERVISED:
            self._stop(reason)

    def observe(self, state: JointStateSample) -> None:
        """Update with a joint state of the robot."""
        self._state = state
        self._clock.update(state)
        self._inputs.update(state, self._joints)
        self._rest.update(state)
        if self._phase in SUPERVISED and self._monitor and self._commander:
            reason = self._monitor.watch(state, self._commander.follower)
            if reason is not None:
                self._stop(reason)

    def tick(self) -> None:
        """Continue the sequence; to be called about ten times a second."""
        self._clock.measure_pace()
        self._inputs.tick()
        if self._commander is None or self._plan is None:
            return
        if self.under_way:
            try:
                # where states are missing for any reason, the motion ends as that of a dead player
                fresh = self._inputs.state_age <= self._options.max_age
                self._commander.tick(renew=fresh)
            except PlaybackError as error:
                self._late = isinstance(error, LateError)
                self.fail(f"{error} {self.pauses}" if self._late else str(error))
        if self._phase in SUPERVISED and (fault := self._input_fault(self._plan)) is not None:
            # no fault of the robot, if its states return and show it at rest
            self._late = self._inputs.silent(self._options.max_age)
            self._stop(fault)
        elif self._phase is PlaybackPhase.STOPPING:
            self._tick_stopping(self._commander, self._plan)
        elif self.under_way and not self._commander.pending:
            self._tick_moving(self._commander, self._plan)

    def refuse_while_under_way(self) -> None:
        """Raise a PlaybackError while the robot moves."""
        if self.under_way:
            raise PlaybackError(
                f"the robot is already {self.state}; wait until the motion has ended, or stop it."
            )

    def _tick_moving(self, commander: Commander, plan: Plan) -> None:
        after, settled = commander.since_end, self._options.settle_time
        if self._phase is PlaybackPhase.PLAYING:
            if after >= 0:
                self._phase = PlaybackPhase.SETTLING
        elif after < settled:
            return
        elif not self._rest.at_rest:
            if after > settled + _TIMEOUT:
                self._stop(f"the robot had not come to rest {after:.1f} s after its motion.")
        elif self._phase is PlaybackPhase.SETTLING:
            self._phase = PlaybackPhase.FINISHED
        elif self._play_next:
            try:
                self._command(commander, plan.trajectory, plan, self._options)
                self._phase = PlaybackPhase.PLAYING
            except PlaybackError as error:
                self._abort(str(error))
        else:
            self._phase = PlaybackPhase.READY

    def _tick_stopping(self, commander: Commander, plan: Plan) -> None:
        state = self._state
        fresh = self._inputs.state_age <= self._options.max_age
        # the stamp is decisive, because a robot that was suspended may lag behind the clock
        over = state is not None and state.stamp_ns >= commander.end_ns and not commander.pending
        if state is not None and fresh and self._silent:
            left = max(commander.end_ns - state.stamp_ns, 0) * 1e-9
            self._deadline = self._clock.steady() + left + _TIMEOUT
        self._silent = not fresh
        if state is not None and over and fresh:
            if not self._reference_moved:
                self._hold.update((state.stamp_ns - commander.end_ns) * 1e-9, self._rest.moving)
            if self._rest.at_rest:
                self._end_at_rest(commander, plan, state)
                return
        if self._clock.steady() > self._deadline:
            unseen = "the robot was not observed at rest"
            who = self._rest.moving_names(self._joints) if fresh else "no joint states arrive"
            detail = f" ({who})" if who else ""
            self._late = False
            self._abort(_with(self._reason, unseen + detail))

    def _end_at_rest(self, commander: Commander, plan: Plan, state: JointStateSample) -> None:
        if self._abandoned:
            commander.hold(state.position)
        if self._reference_moved or commander.is_at(state.position):
            self._abort(_with(self._reason, self.not_held))
        else:
            if commander.was_sent_to(state.position):
                self._reason = _with(self._reason, _MISSED)
                # an obstacle holds one joint, and the others do not wait for it on their path
                lagged = self._monitor is not None and self._monitor.lags
                if lagged and commander.joints_away(state.position) > 1:
                    self._late = True
                    self._reason += f" This computer was too slow. {self.pauses}"
            else:
                self._hold.update_at_rest(state.position - commander.goal)
            self._move_reference_to_robot(commander, plan, state)

    def _move_reference_to_robot(
        self, commander: Commander, plan: Plan, state: JointStateSample
    ) -> None:
        """Move the reference to a robot that is blocked by a drive in fault or an obstacle.

        Otherwise the robot would push against the obstacle, or jump when the fault is cleared. Only
        the end of the motion is sent, so the reference moves there from its present position.
        """
        self._reference_moved = True
        limits, fraction = plan.robot.limits, self._options.move_fraction
        way = point_to_point(commander.goal, state.position, limits, fraction)
        if not way.duration < _LONGEST_WAY:
            self._abort(_held(self._reason, "its position is too far away."))
            return
        self._wait_for_rest(self._reason, commander, way.duration)
        end = sample(way, plan.robot.joints, self._options.rate).since(way.duration)
        try:
            commander.command(end, self._options)
        except PlaybackError as error:
            self._abort(_held(self._reason, str(error)))

    def _move(self, plan: Plan, options: Options, requested_at: float | None, *, play: bool) -> str:
        """Start to move to the start of a plan, and to play it then; return a sentence."""
        doubtful = refusal(plan.doubts)
        if doubtful is not None and not options.doubtful_limits:
            raise PlaybackError(doubtful)
        state = self._checked_state(plan, options, requested_at)
        joints, limits = plan.robot.joints, plan.robot.limits
        commander = self._commander
        if commander is None or not commander.is_at(state.position):
            # from the measured position, when another client has moved the robot
            commander = Commander(joints, state.position, self._clock, self._outlet, limits)
        # otherwise from its reference, which differs slightly, but must not jump
        move = point_to_point(commander.goal, plan.start, limits, options.move_fraction)
        check_reachable(move, limits, plan.mechanism, plan.workspace)
        self._command(commander, sample(move, joints, options.rate), plan, options)
        self._phase = PlaybackPhase.MOVING
        self._play_next = play
        then = f", then playing for {plan.trajectory.duration:.1f} s" if play else ""
        way = f"moving to the start of the excitation in {move.duration:.1f} s{then}."
        # what is not checked and not supervised is shown before a motion starts
        missing = [plan.verdict] if plan.unchecked else []
        return " ".join([way, *missing, *supervision(plan, options)])

    def _command(
        self, commander: Commander, trajectory: Trajectory, plan: Plan, options: Options
    ) -> None:
        commander.command(trajectory, options)
        self._commander, self._plan, self._options = commander, plan, options
        self._monitor = make_monitor(plan, options)
        self._abandoned = self._late = False
        self._inputs.restart()
        self._rest.reset()

    def _stop(self, reason: str) -> None:
        assert self._commander is not None  # noqa: S101  something is under way
        assert self._plan is not None  # noqa: S101
        self._reference_moved = False
        self._hold = HoldWatch(self._joints, sliding_joints(self._plan.mechanism))
        try:
            self._commander.stop()
        except PlaybackError as error:
            self._abandoned = True
            self._commander.abandon()
            reason = _not_stopped(reason, str(error))
        self._wait_for_rest(reason, self._commander)

    def _wait_for_rest(self, reason: str, commander: Commander, longer: float = 0.0) -> None:
        """Wait until the robot is at rest, with a deadline ``longer`` [s] after the usual one."""
        self._reason = reason
        self._phase = PlaybackPhase.STOPPING
        left = max(-commander.since_end, 0.0)
        self._deadline = self._clock.steady() + left + longer + _TIMEOUT
        self._rest.reset()

    def _abort(self, reason: str) -> None:
        self._reason = reason
        self._phase = PlaybackPhase.ABORTED

    def _checked_state(
        self, plan: Plan, options: Options, requested_at: float | None
    ) -> JointStateSample:
        state = self._state
        if state is None:
            raise self._reader.no_state_error()
        check_state(
            state,
            plan.robot.limits,
            plan.mechanism,
            max_age=options.max_age,
            max_offset=options.max_clock_offset,
            offset=self.clock_offset,
            now=self._clock.steady() if requested_at is None else requested_at,
        )
        if not self._rest.at_rest:
            raise PlaybackError(self._rest.sentence(plan.robot.joints))
        if supervises_torque(plan, options) and state.effort is None:
            raise PlaybackError(
                "the joint states have no effort, so torque cannot be supervised; configure the "
                "driver to publish it, or set supervise_torque to false."
            )
        return state

    def _input_fault(self, plan: Plan) -> str | None:
        effort = supervises_torque(plan, self._options)
        return self._inputs.fault(self._options.max_age, effort=effort)


def _with(reason: str, more: str) -> str:
    return f"{reason.rstrip('.')}; {more}." if more else reason


def _not_stopped(reason: str, why: str) -> str:
    return f"{reason.rstrip('.')}; the controller did not accept the stop: {why}"


def _held(reason: str, why: str) -> str:
    return f"{reason.rstrip('.')}; the reference stays where it came to rest: {why}"
