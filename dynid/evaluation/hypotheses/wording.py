"""What a cause that was tried means: sentence, remedy, and corrections of the recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.hypotheses.relation_meanings import relation_meaning
from dynid.evaluation.hypotheses.search import ChosenCause
from dynid.evaluation.hypotheses.trial import Trial
from dynid.evaluation.hypotheses.tried import MATTERS, TriedCause
from dynid.evaluation.hypotheses.whole_meanings import contact_meaning, gravity_meaning
from dynid.recording.corrections import SIGNALS, Correction, Signal
from dynid.text import listed, percent, significant, torque_unit

_DEGREES = np.pi / 180
_NEAR_UNIT = 0.25  # of the logarithm of a factor
_MOTION: tuple[Signal, ...] = ("position", "velocity")
_EXCHANGED: Mapping[str, tuple[str, tuple[Signal, ...]]] = {
    "channels": ("positions and torques", SIGNALS),
    "torques": ("torques", ("effort",)),
    "positions": ("positions", _MOTION),
}
_TURNED: Mapping[str, tuple[str, tuple[Signal, ...], str, str, str]] = {
    "reverse": (
        "reversed_joint",
        SIGNALS,
        "position and torque are counted in the direction opposite to the URDF's axis.",
        "Reverse the axis of {joints} in the URDF, or its signals.",
        "reversed",
    ),
    "position": (
        "flipped_sign",
        _MOTION,
        "position has the opposite sign of the URDF's axis and of its torque.",
        "Change the sign of the position and velocity of {joints}.",
        "opposite sign of position",
    ),
}

_BACKWARDS = Finding(
    "flipped_sign",
    (),
    "problem",
    "time runs backwards: friction drives every joint instead of opposing its motion, and only "
    "with the opposite sign of the velocities, not of the torques, have friction, rotors and "
    "masses values that are physically possible.",
    "Check the order of the rows, and the sign of recorded velocities.",
)


class Wording:
    """Words for the candidates of a trial.

    Args:
        trial: the trial.
        joints: names of the joints.
        recordings: names of the recordings.
        correctable: whether recorded channels are those of the joints, without a coupling between.
    """

    def __init__(
        self, trial: Trial, joints: Sequence[str], recordings: Sequence[str], *, correctable: bool
    ) -> None:
        self._trial, self._joints = trial, tuple(joints)
        self._recordings, self._correctable = tuple(recordings), correctable

    def meaning(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        """Return the meaning of a candidate of a step."""
        words: dict[str, Callable[[ChosenCause, TriedCause], Finding]] = {
            "sign": self._sign,
            "factor": self._factor,
            "flip": self._factor,
            "zero": self._zero,
            "ratio": self._ratio,
            "gear": self._ratio,
            "delay": self._delay,
            "backlash": self._backlash,
            "gravity": self._gravity,
            "no gravity": self._gravity,
            **dict.fromkeys(_TURNED, self._turned),
            **dict.fromkeys(_EXCHANGED, self._swap),
            "contact": self._contact,
            "clock": self._clock,
        }
        return words.get(candidate.kind, self._relation)(step, candidate)

    def effect(self, before: Array, after: Array) -> tuple[str, str]:
        """Return the joint where the error falls most, and the effect there."""
        gain = np.nan_to_num(np.log(np.maximum(before, 1e-4) / np.maximum(after, 1e-4)), nan=-1.0)
        worst = int(np.argmax(gain))
        return self._joints[worst], (
            f"a refit with it leaves {percent(after[worst])} of the torque of "
            f"{self._joints[worst]} unexplained on data left out, instead of "
            f"{percent(before[worst])}"
        )

    def _names(self, candidate: TriedCause) -> tuple[str, ...]:
        return tuple(self._joints[j] for j in candidate.joints)

    def _fixed(self, *corrections: Correction) -> tuple[str, tuple[Correction, ...]]:
        """Return a sentence for the profile's key, and the corrections."""
        return (" In the profile: {corrections}.", corrections) if self._correctable else ("", ())

    def _multiplied(
        self, joints: Sequence[str], factors: Mapping[Signal, float]
    ) -> tuple[str, tuple[Correction, ...]]:
        """Return a sentence for the profile's key, and corrections of signals of joints."""
        return self._fixed(
            *(
                Correction(signal=signal, joint=name, factor=float(f"{factor:.4g}"))
                for name in joints
                for signal, factor in factors.items()
            )
        )

    def _recording(self, candidate: TriedCause) -> str:
        return self._recordings[candidate.recordings[0]]

    def _sign(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        if len(candidate.joints) == 1 and len(self._joints) > 1:
            return self._factor(step, candidate)
        if len(candidate.joints) < len(self._joints):
            names = self._names(candidate)
            key, corrections = self._multiplied(names, {"effort": -1.0})
            return Finding(
                "flipped_sign",
                names,
                "problem",
                f"{listed(names)}: torques have the opposite sign of their motion, which friction "
                "would drive.",
                f"Change the sign of the efforts of {{joints}}.{key}",
                corrections=corrections,
            )
        if candidate.outcome.state.backwards != step.before.state.backwards:
            return _BACKWARDS
        against = [
            self._trial.is_against_urdf(outcome.state)
            for outcome in (step.before, candidate.outcome)
        ]
        impossible = (candidate.outcome.penalty or 0.0) > MATTERS
        if against[1] or (impossible and not against[0]):
            return Finding(
                "flipped_sign",
                (),
                "problem",
                "friction drives the joints instead of opposing their motion, but with the "
                "opposite sign of every torque rotors and masses are not those of the URDF, or "
                "not physically possible either: the recordings do not decide what is wrong.",
                "Check the signs of effort and position, and the order of the rows in time.",
            )
        key, corrections = self._fixed(Correction(signal="effort", factor=-1.0))
        if impossible:
            return Finding(
                "flipped_sign",
                (),
                "problem",
                "friction drives the joints instead of opposing their motion, and the torque of "
                "the URDF's masses has the opposite sign: probably the torque of every joint has "
                "it, though with the other sign some rotors or masses are not physically possible "
                "either.",
                f"Change the sign of effort first, and look at what is left.{key}",
                corrections=corrections,
            )
        return Finding(
            "flipped_sign",
            (),
            "problem",
            "the torque of every joint has the opposite sign: only with the other sign have "
            "friction, rotors and masses values that are physically possible.",
            f"Change the sign of effort.{key}",
            corrections=corrections,
        )

    def _factor(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        if candidate.recordings:
            return self._factor_of_recording(step, candidate)
        joint = candidate.joints[0]
        name = self._joints[joint]
        after, before = _numbers(step, candidate)
        ratio = after / before
        if np.isclose(ratio, -1.0, rtol=1e-9):
            key, corrections = self._multiplied((name,), {"effort": -1.0})
            return Finding(
                "flipped_sign",
                (name,),
                "problem",
                f"{name}: torque has the opposite sign of its motion.",
                f"Change the sign of the effort of {{joints}}.{key}",
                corrections=corrections,
                statement="opposite sign",
            )
        key, corrections = self._multiplied((name,), {"effort": ratio})
        sign = " and of the opposite sign" if ratio < 0 else ""
        unit = _unit_of(1 / abs(ratio))
        return Finding(
            "torque_factor",
            (name,),
            "problem",
            f"{name}: torque is {significant(1 / abs(ratio), 3)} times what the torques of the "
            f"other joints imply{sign}{unit}, as they share the same bodies.",
            "Check torque constant, rated current, gear ratio and unit of the effort of {joints}."
            f"{key}",
            corrections=corrections,
            evidence={f"ratio of {name}": float(1 / ratio), **_deviation(candidate, "relative ")},
            statement=f"factor{sign}{unit}",
        )

    def _factor_of_recording(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        text = self._recording(candidate)
        after, before = _numbers(step, candidate)
        ratio = after / before
        every = len(candidate.joints) > 1
        names = () if every else self._names(candidate)
        where = "of all joints" if every else f"of {names[0]}"
        return Finding(
            "recordings_differ",
            names,
            "problem",
            f"{text}: the torque {where} is {significant(1 / ratio, 3)} times what the rest "
            "implies.",
            "Do not fit these recordings together: check torque constant, gear and unit of effort "
            "of each, and identify those that are right.",
            evidence={"ratio": float(1 / ratio), **_deviation(candidate, "relative ")},
            statement="" if every else f"factor of {text}",
        )

    def _zero(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        joint = candidate.joints[0]
        name, unit = self._joints[joint], "m" if self._trial.mechanism.prismatic[joint] else "rad"
        after, before = _numbers(step, candidate)
        zero = after - before
        size = f"{significant(abs(zero), 3)} {unit}"
        if unit == "rad":
            size += f" ({abs(zero) / _DEGREES:.3g} deg)"
        evidence = {f"zero of {name} [{unit}]": -zero, **_deviation(candidate, "", unit)}
        if candidate.recordings:
            return Finding(
                "recordings_differ",
                (name,),
                "problem",
                f"{self._recording(candidate)}: the encoder zero of {name} differs by {size} from "
                "that of the rest.",
                "Do not fit these recordings together: correct the position of one of them before, "
                "or identify those with the right zero.",
                evidence=evidence,
                statement=f"zero of {self._recording(candidate)}",
            )
        key, corrections = self._fixed(
            Correction(signal="position", joint=name, offset=float(f"{zero:.4g}"))
        )
        direction = "more" if zero < 0 else "less"
        return Finding(
            "encoder_zero",
            (name,),
            "problem",
            f"{name}: recorded positions are {size} {direction} than those of the URDF's zero.",
            f"Check the zero of {{joints}} against the URDF.{key}",
            corrections=corrections,
            evidence=evidence,
            statement=f"{direction} than the URDF's zero",
        )

    def _ratio(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        joint = candidate.joints[0]
        name = self._joints[joint]
        states = candidate.outcome.state, step.before.state
        ratio = float(np.divide(*(abs(state.direction[joint]) for state in states)))
        factors = dict.fromkeys(_MOTION, ratio)
        imply = "those that the torques imply"
        if candidate.kind == "gear":
            factors["effort"] = 1 / ratio
            imply = (
                f"those of the joint, and torques {significant(ratio, 3)} times, as with another "
                "gear ratio"
            )
        key, corrections = self._multiplied((name,), factors)
        return Finding(
            "position_factor",
            (name,),
            "problem",
            f"{name}: recorded positions are {significant(1 / ratio, 3)} times {imply}"
            f"{' (maybe degrees)' if abs(np.log(ratio / _DEGREES)) < _NEAR_UNIT else ''}.",
            f"Check gear ratio and counts per turn of the encoder of {{joints}}.{key}",
            corrections=corrections,
            evidence={f"ratio of {name}": 1 / ratio, **_deviation(candidate, "relative ")},
            statement=f"factor of {candidate.kind}",
        )

    def _delay(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        where = self._recording(candidate) if candidate.recordings else ""
        after, before = _numbers(step, candidate)
        delay = after - before
        every = len(candidate.joints) == len(self._joints)
        names = () if every else self._names(candidate)
        what = f"{where}: " if where else "" if every else f"{names[0]}: "
        doubt = ""
        if candidate.alike:
            doubt = ", by a delay or a low-pass, which the recordings do not distinguish"
        later = "later" if delay > 0 else "earlier"
        key, corrections = self._fixed(
            Correction(
                signal="effort", joint=None if every else names[0], delay=float(f"{delay:.3g}")
            )
        )
        return Finding(
            "recordings_differ" if where else "time_shift",
            names,
            "problem" if where else "warning",
            f"{what}torque is recorded {abs(delay) * 1e3:.3g} ms {later} than its motion (standard "
            f"deviation {candidate.deviation * 1e3:.2g} ms){doubt}.",
            f"Align effort and position in the recording.{'' if where else key}",
            corrections=() if where else corrections,
            evidence={"delay [s]": delay, "standard deviation [s]": candidate.deviation},
            statement="" if every or where else later,
        )

    def _backlash(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        joint = candidate.joints[0]
        name, unit = self._joints[joint], "m" if self._trial.mechanism.prismatic[joint] else "rad"
        after, before = _numbers(step, candidate)
        play = after - before
        return Finding(
            "backlash",
            (name,),
            "warning",
            f"{name}: the recorded position is ahead of the joint on the side to which the motor "
            f"pushes, by a play of {significant(play, 3)} {unit} in all.",
            "Check the gear of {joints} for backlash, or measure its position behind the gear.",
            evidence={f"play of {name} [{unit}]": play, **_deviation(candidate, "", unit)},
            statement="play",
        )

    def _turned(self, _step: ChosenCause, candidate: TriedCause) -> Finding:
        (name,) = self._names(candidate)
        cause, signals, sentence, advice, statement = _TURNED[candidate.kind]
        key, corrections = self._multiplied((name,), dict.fromkeys(signals, -1.0))
        return Finding(
            cause,
            (name,),
            "problem",
            f"{name}: {sentence}",
            f"{advice}{key}",
            corrections=corrections,
            statement=statement,
        )

    def _swap(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        names = self._names(candidate)
        what, signals = _EXCHANGED[candidate.kind]
        if candidate.recordings:
            return Finding(
                "swapped_channels",
                names,
                "problem",
                f"{self._recording(candidate)}: the {what} of {listed(names)} are exchanged, and "
                "not in the rest.",
                "Do not fit these recordings together: check the order of joints in each.",
                statement=f"{candidate.kind} of {self._recording(candidate)}",
            )
        key, corrections = self._fixed(
            *(
                Correction(signal=signal, joint=joint, source=source)
                for signal in signals
                for joint, source in zip(names, self._sources(step, candidate), strict=True)
            )
        )
        return Finding(
            "swapped_channels",
            names,
            "problem",
            f"{listed(names)}: the {what} of these joints are exchanged.",
            f"Check the order of joints in the recording.{key}",
            corrections=corrections,
            statement=candidate.kind,
        )

    def _sources(self, step: ChosenCause, candidate: TriedCause) -> list[str]:
        """Return the names of the joints whose channels the joints of a candidate take."""
        name = "torque_of" if candidate.kind == "torques" else "position_of"
        after, before = (getattr(s, name)[0] for s in (candidate.outcome.state, step.before.state))
        present = np.argsort(before)
        return [self._joints[present[after[joint]]] for joint in candidate.joints]

    def _clock(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        number = candidate.recordings[0] if candidate.recordings else 0
        clocks = candidate.outcome.state.clock, step.before.state.clock
        ratio = float(np.divide(*(clock[number] for clock in clocks)))
        if not candidate.recordings:
            key, corrections = self._fixed(
                Correction(signal="time", factor=float(f"{1 / ratio:.4g}"))
            )
            return Finding(
                "clock",
                (),
                "problem",
                f"the clock counts {significant(ratio, 4)} s in a second, with which alone the "
                "same bodies have the recorded inertia and weight.",
                f"Check the rate or the stamps of the samples.{key}",
                evidence={"ratio of time": ratio, **_deviation(candidate, "relative ")},
                corrections=corrections,
            )
        return Finding(
            "clock",
            (),
            "problem",
            f"{self._recording(candidate)}: its clock counts {significant(ratio, 4)} s in a second "
            "of the rest.",
            "Do not fit these recordings together: check the rate or the stamps of the samples.",
            evidence={"ratio of time": ratio, **_deviation(candidate, "relative ")},
        )

    def _gravity(self, _step: ChosenCause, candidate: TriedCause) -> Finding:
        directions = candidate.outcome.state.gravity, self._trial.mechanism.gravity
        return gravity_meaning(*map(np.asarray, directions))

    def _contact(self, step: ChosenCause, candidate: TriedCause) -> Finding:
        spans = candidate.outcome.state.excluded[len(step.before.state.excluded) :]
        error = np.abs(step.before.refit.seen - candidate.outcome.refit.seen)
        joint = self._joints[int(np.nanargmax(error))]
        return contact_meaning(spans, joint, self._recordings)

    def _relation(self, _step: ChosenCause, candidate: TriedCause) -> Finding:
        recording = self._recording(candidate) if candidate.recordings else ""
        joint = candidate.joints[-1] if candidate.joints else 0
        unit = torque_unit(self._trial.mechanism.prismatic[joint])
        state, refit = candidate.outcome.state, candidate.outcome.refit
        delay = float(state.delay[0, joint])
        names, count = self._names(candidate), len(self._recordings)
        said = relation_meaning(candidate.kind, names, recording, unit, refit, delay, count)
        if not candidate.alike:
            return said
        doubt = "; one of another order explains about the same."
        return replace(said, sentence=said.sentence.rstrip(".") + doubt)


def _numbers(step: ChosenCause, candidate: TriedCause) -> tuple[float, float]:
    """Return the number that a candidate changes, with the change and before."""
    name, at = candidate.kind, (*(candidate.recordings or (0,))[:1], candidate.joints[0])
    name = "factor" if name in ("sign", "flip") else name
    after, before = (getattr(s, name) for s in (candidate.outcome.state, step.before.state))
    return float(after[at]), float(before[at])


def _unit_of(ratio: float) -> str:
    """Return the unit that a factor suggests."""
    for factor, unit in ((1000.0, "N mm or mA"), (0.001, "kN m"), (180 / np.pi, "degrees")):
        if abs(np.log(ratio / factor)) < _NEAR_UNIT:
            return f" (maybe {unit})"
    return ""


def _deviation(candidate: TriedCause, what: str, unit: str = "") -> dict[str, float]:
    name = f"{what}standard deviation" + (f" [{unit}]" if unit else "")
    return {name: float(candidate.deviation)} if np.isfinite(candidate.deviation) else {}
