"""Tracking errors of simulated robots whose load and friction change, with and without updates.

    python benchmarks/adaptive_feedforward.py [robot ...] [--minutes 17] [--exact]

Each robot is identified from the simulated robot's own excitation, and then moves from point to
point between random positions at random speeds. Meanwhile its friction grows linearly by 30 %, and
in the middle third of the time it carries a payload; both change while it rests between moves. The
same motion runs twice: with the accepted model, and with updates of it by the online estimator once
a second. In the run with updates, a wrong set is offered in addition every ten seconds, as named in
the second table. 17 minutes are 10^6 control cycles. With --exact the accepted
model with the true change is offered instead of the estimator's sets: what an exact estimator of
changes would reach.

Errors are commanded minus true position, root mean square over time; the command's delay to the
drives does not count. The step is the largest change of the additive torque in one cycle
while the command rests, where only updates change it, over its bound 3 B / N; see ModelUpdates in
the C++ API.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table

from dynid import _core
from dynid.control.build import control_law, control_law_settings, control_model
from dynid.control.model_updates import UpdatedModel, UpdateLimits, plausible_deviations
from dynid.errors import EstimationError
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.identification.online.estimator import OnlineEstimator, OnlineSettings
from dynid.identification.online.model_update import ModelUpdate, ModelUpdater
from dynid.identification.payload.fit import payload_columns
from dynid.playback.motions import point_to_point
from dynid.profile import load_robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.derived import simulation_settings
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying, true_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynid.arrays import Array
    from dynid.excitation.motion import Motion
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot
    from dynid.simulation.robot import DriveState

RATE = 1000.0  # [Hz]
CHANGES = 60  # of the simulated robot; a multiple of 3
REST = 0.6  # [s] between moves
SHARE = 0.5  # of torque_max: the default bound of torque differences
GROWTH = 0.3  # of friction, over the whole time
MASS, CENTRE = 1.5, (0.02, -0.03, 0.06)  # of the payload [kg, m]
GYRATION = np.array([4e-3, 5e-4, 3e-3, -2e-4, 3e-4, 2.5e-3])  # inertia of 1 kg [kg m^2]
FORGETTING = 30.0  # [s] of the online estimator
PHASES = ("without payload", "with payload", "payload put down")


@dataclass
class Run:
    """What happened in one run.

    Attributes:
        squares: summed squared errors of each phase (3, n) [rad^2 or m^2].
        cycles: of each phase (3,).
        step: largest change of torque in a cycle at rest, over its bound.
        wrong: whether wrong sets were refused, by what is wrong with them.
        own: whether the online estimator's own sets were refused.
        report: of the updates; None without.
    """

    squares: Array
    cycles: Array
    step: float = 0.0
    wrong: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    own: list[bool] = field(default_factory=list)
    report: _core.ModelUpdatesReport | None = None


def world(robot: Robot, share: float) -> Robot:
    """Return the robot at a share of the whole time, 0 to 1: its true friction and its load."""
    simulation, mechanism = simulation_settings(robot), robot.mechanism()
    true = true_parameters(mechanism, simulation)
    names = mechanism.parameter_names[mechanism.first_term :]
    terms = zip(mechanism.terms, names, true[mechanism.first_term :], strict=True)
    grown = {
        name: float(value) * (1 + GROWTH * share)
        for term, name, value in terms
        if term.traits.dissipative
    }
    parameters = simulation.parameters | grown
    changed = robot.with_settings(simulation.model_copy(update={"parameters": parameters}))
    if 1 / 3 <= share < 2 / 3:
        return carrying(changed, MASS, CENTRE, MASS * GYRATION)
    return changed


def wrong_sets(model: Model, last: ModelUpdate) -> dict[str, ModelUpdate]:
    """Return sets that must not be used, by what is wrong with them."""
    accepted, covariance = model.mechanism.parameters, last.covariance
    body, first = payload_columns(model.mechanism), model.mechanism.first_term
    lost, sign, unit = (np.array(accepted) for _ in range(3))
    lost[3], sign[first], unit[body] = np.nan, -sign[first], 1000.0 * unit[body]
    heavy, link = np.array(accepted), np.array(accepted)
    heavy[body] += 20.0 * np.array([1, *CENTRE, *GYRATION])
    link[:10] *= 1.2
    return {
        "a value is not finite": ModelUpdate(lost, covariance),
        "friction of the wrong sign": ModelUpdate(sign, covariance),
        "grams instead of kilograms": ModelUpdate(unit, covariance),
        "20 kg too much": ModelUpdate(heavy, covariance),
        "first link 20 % heavier": ModelUpdate(link, covariance),
        "no information": ModelUpdate(accepted, 1e4 * np.diag(accepted**2 + 1.0)),
        "negative covariance": ModelUpdate(accepted, -np.eye(len(accepted))),
    }


def moves(robot: Robot, seed: int) -> Iterator[Motion]:
    """Yield moves between random positions for ever, each followed by rest."""
    random = np.random.default_rng(seed)
    low, high = np.array([robot.limits.range_of("position", j) for j in range(len(robot.joints))]).T
    at = SimulatedRobot(robot).home
    while True:
        goal = (low + high) / 2 + 0.35 * (high - low) * random.uniform(-1, 1, len(low))
        motion = point_to_point(at, goal, robot.limits, random.uniform(0.3, 1.0))
        clock = np.arange(round((motion.duration + REST) * RATE)) / RATE
        yield motion.evaluate(np.minimum(clock, motion.duration))
        at = goal


class Updates:
    """The online estimator beside a control law: a set each second, and wrong ones."""

    def __init__(self, robot: Robot, model: Model, law: _core.ControlLaw, found: Run) -> None:
        limits = UpdateLimits()
        self._robot, self._model, self._found = robot, model, found
        self.exact: Robot | None = None  # whose true parameters replace the estimator's sets
        self._updater = ModelUpdater(model.mechanism, plausible_deviations(model.mechanism, limits))
        self._settings = OnlineSettings(
            forgetting_time=FORGETTING, largest_payload=2.0, adaptive=True
        )
        self._estimator = OnlineEstimator(
            model.robot, model.mechanism, self._settings, known=model.base
        )
        self.updated = UpdatedModel(robot, law, model.mechanism, control_rate=RATE, limits=limits)

    def step(self, cycle: int, gap: float, state: DriveState, torque: Array) -> None:
        """Process the state after a cycle of the law, stamped a gap [s] later."""
        self.updated.step(torque)
        self._estimator.take(cycle / RATE + gap, state.position, state.effort)
        if cycle % RATE or cycle == 0:
            return
        try:
            found = self._estimator.parameters()
        except EstimationError:  # nothing has moved yet
            return
        update = self._updater(found.values, found.covariance)
        if self.exact is not None:
            update = self._exact_update(self.exact)
        second = round(cycle / RATE)
        if second % 10 == 0:
            wrong = wrong_sets(self._model, update)
            name = tuple(wrong)[second // 10 % len(wrong)]
            self._found.wrong[name].append(self.updated.offer(*wrong[name]) != "")
        self._found.own.append(self.updated.offer(*update) != "")

    def _exact_update(self, now: Robot) -> ModelUpdate:
        """Return the accepted model with the true change of the robot since the start."""
        mechanism = self._model.mechanism
        first, last = (
            true_parameters(mechanism, simulation_settings(robot)) for robot in (self._robot, now)
        )
        return ModelUpdate(mechanism.parameters + last - first, 1e-12 * np.eye(len(first)))


def run(
    robot: Robot, model: Model, minutes: float, seed: int, *, updating: bool, exact: bool
) -> Run:
    """Run the motion, with or without updates; exact: those of the true parameters."""
    n, total = len(robot.joints), round(60 * minutes * RATE)
    found = Run(np.zeros((3, n)), np.zeros(3))
    law = control_law(robot, control_rate=RATE)
    law.use(control_model(robot, model.mechanism))
    updates = Updates(robot, model, law, found) if updating else None
    settings = control_law_settings(robot, control_rate=RATE).feedforward
    bound = 3 * SHARE * settings.torque_max / (settings.ramp_time * RATE)
    delay = round(simulation_settings(robot).command_delay * RATE)
    settled = round((REST - settings.additive_torque_delay) * RATE) - 2  # cycles of rest
    factor = robot.drives.torque_factor(n)
    feedback = _core.Feedback(*(np.zeros(n) for _ in range(3)))
    paths, cycle, position = moves(robot, seed), 0, SimulatedRobot(robot).home
    law.start(position)
    changes = 0
    plant = SimulatedRobot(robot, seed=seed)
    state = plant.step(position)
    while cycle < total:
        if cycle * CHANGES >= changes * total:
            changes += 1
            changed = world(robot, cycle / total)
            plant = SimulatedRobot(changed, seed=seed + changes)
            if updates is not None and exact:
                updates.exact = changed
            plant.reset(position)
            state = plant.step(position, law.torque_offset)
            feedback.position, feedback.velocity = state.position, state.velocity
            feedback.torque = state.effort * factor
        path, last = next(paths), law.torque_offset
        commands, reached = np.empty_like(path.position), np.empty_like(path.position)
        for k, reference in enumerate(zip(*path, strict=True)):
            law.update(_core.Reference(*reference), feedback)
            commands[k], offset = law.position_command, law.torque_offset
            state = plant.step(law.position_command, offset)
            feedback.position, feedback.velocity = state.position, state.velocity
            feedback.torque = state.effort * factor
            reached[k] = plant.truth.position
            if updates is not None:
                # a gap, so that the jump from one simulated robot to the next is no motion
                updates.step(cycle + k, changes, state, feedback.torque)
                if k > len(commands) - settled:
                    found.step = max(found.step, float(np.max(np.abs(offset - last) / bound)))
                last = offset
        if law.latched:
            raise SystemExit(f"{robot.name}: the robot was stopped.")
        phase, error = min(2, int(3 * cycle / total)), commands[: -delay or None] - reached[delay:]
        found.squares[phase] += np.sum(error**2, axis=0)
        found.cycles[phase] += len(error)
        cycle, position = cycle + len(commands), commands[-1]
    found.report = updates.updated.report if updates is not None else None
    return found


def identified(robot: Robot, seed: int) -> Model:
    """Return the model identified from the robot's excitation, simulated."""
    excitation = find_excitation(robot)
    if excitation is None:
        raise SystemExit(f"{robot.name}: its profile has no excitation.")
    motion = build_excitation(excitation, robot.limits, robot.joints)
    return identify(robot, simulate(robot, motion, seed=seed)).model


def show(robot: Robot, without: Run, updated: Run, seconds: float) -> None:
    """Print the tables of a robot."""
    console = Console()
    table = Table(title=f"{robot.name}: r.m.s. tracking error, 1e-3 rad or m")
    for column in ("", "joint", "accepted model", "with updates", "ratio"):
        table.add_column(column, justify="right")
    for k, phase in enumerate(PHASES):
        for j, joint in enumerate(robot.joints):
            before, after = (np.sqrt(r.squares[k, j] / r.cycles[k]) for r in (without, updated))
            table.add_row(
                phase, joint, f"{1e3 * before:.3f}", f"{1e3 * after:.3f}", f"{after / before:.2f}"
            )
    console.print(table)
    refusals = Table(title="sets offered")
    for column in ("set", "offered", "refused"):
        refusals.add_column(column, justify="right")
    for name, refused in {**updated.wrong, "not wrong": updated.own}.items():
        refusals.add_row(name, str(len(refused)), str(sum(refused)))
    console.print(refusals)
    report = updated.report
    if report is None:
        return
    console.print(
        f"{updated.cycles.sum():.0f} cycles, {report.taken} updates used, {report.fallbacks} "
        f"fallbacks (last: {report.cause.name}), largest step of torque at rest "
        f"{updated.step:.2f} of its bound; {seconds:.0f} s of computation"
    )


def main() -> None:
    """Print the tables of each robot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("robots", nargs="*", default=["puma560", "spatial_3r"])
    parser.add_argument("--minutes", type=float, default=17.0, help="simulated time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--exact", action="store_true", help="offer the true change, not the estimator's"
    )
    arguments = parser.parse_args()
    for name in arguments.robots:
        begun = time.monotonic()
        robot = load_robot(name)
        model = identified(robot, arguments.seed)
        # the accepted model alone would be stopped by the payload's torque
        robot = robot.with_settings(CollisionSettings(torque_error_enable=(False,)))
        without, updated = (
            run(
                robot,
                model,
                arguments.minutes,
                arguments.seed,
                updating=updating,
                exact=arguments.exact,
            )
            for updating in (False, True)
        )
        show(robot, without, updated, time.monotonic() - begun)


if __name__ == "__main__":
    main()
