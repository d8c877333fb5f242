"""Candidate models of one joint's friction: sums of joint terms with shape parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynid.dynamics.joint_terms import TermKind, TermSettings, term_kinds

Shapes = Mapping[str, float]

_ABOVE_VELOCITY_NOISE = 8.0
_ABOVE_POSITION_NOISE = 3.0


@dataclass(frozen=True)
class MotionScales:
    """Scales of one joint's motion, from which the ranges of shapes follow.

    Attributes:
        speed: peak speed [rad/s or m/s].
        travel: range of positions [rad or m].
        loaded: whether gravity acts on it.
        position_noise: half the range of its position at rest [rad or m].
        velocity_noise: root mean square of its velocity at rest [rad/s or m/s].
        dead_band: half a step of its positions [rad or m].
    """

    speed: float
    travel: float
    loaded: bool
    position_noise: float = 0.0
    velocity_noise: float = 0.0
    dead_band: float = 0.0


@dataclass(frozen=True)
class ShapeParameter:
    """A nonlinear parameter of friction, searched between ``low`` and ``high``."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Candidate:
    """A friction model: its terms for given shapes."""

    name: str
    shapes: tuple[ShapeParameter, ...]
    terms: Callable[[Shapes], tuple[TermSettings, ...]]

    @property
    def parameters(self) -> int:
        """Number of linear and nonlinear parameters."""
        lowest = self.shapes_at([shape.low for shape in self.shapes])
        return len(self.terms(lowest)) + len(self.shapes)

    @property
    def shape_names(self) -> tuple[str, ...]:
        """Names of its shapes, in order."""
        return tuple(shape.name for shape in self.shapes)

    def shapes_at(self, values: Iterable[float]) -> Shapes:
        """Name the values (s,) of its shapes."""
        named = zip(self.shape_names, values, strict=True)
        return {name: float(value) for name, value in named}


@dataclass(frozen=True)
class _ModelPart:
    shapes: tuple[str, ...]
    terms: Callable[[Shapes], list[TermSettings]]


_PARTS_OF_KINDS = {
    "viscous by direction": ("viscous_positive", "viscous_negative"),
    "spring": ("spring_stiffness",),
    "cubic spring": ("spring_stiffness", "spring_cubic"),
}


def _part(name: str, longest: float, dead_band: float) -> _ModelPart:
    """Return a part of a model by its name, from the table of joint terms or one of these.

    Args:
        name: of the part.
        longest: distance of a stop [rad or m]; a longer contact would be a spring.
        dead_band: of a stop [rad or m].
    """
    if name.endswith((" stop", " stops")):
        return _stops(int(name.split(maxsplit=1)[0]), longest, dead_band)
    if name in _PARTS_OF_KINDS:
        names = _PARTS_OF_KINDS[name]
        return _sum_of([kind for kind in term_kinds() if kind.name in names], sharp=False)
    if name == "Coulomb":
        return _sum_of(_kinds_of("Coulomb"), sharp=True)
    return _sum_of(_kinds_of("Coulomb" if name == "tanh" else name), sharp=False)


def _kinds_of(part: str) -> list[TermKind]:
    return [kind for kind in term_kinds() if kind.candidate == part]


def _sum_of(kinds: Sequence[TermKind], *, sharp: bool) -> _ModelPart:
    """One term of each kind; ``sharp`` terms keep the discontinuity of a sign."""
    sought = [
        {shape: _sought(kind, shape) for shape in kind.shapes if shape != "dead_band"}
        for kind in kinds
    ]
    if sharp:
        for shapes in sought:
            shapes.pop("smoothing", None)

    plain = [TermSettings(kind=kind.name) for kind in kinds]

    def terms(values: Shapes) -> list[TermSettings]:
        return [
            settings.model_copy(update={shape: values[name] for shape, name in shapes.items()})
            if shapes
            else settings
            for settings, shapes in zip(plain, sought, strict=True)
        ]

    return _ModelPart(tuple(dict.fromkeys(name for s in sought for name in s.values())), terms)


def _sought(kind: TermKind, shape: str) -> str:
    """Return the name of a shape's range."""
    if shape != "scale":
        return shape
    return "distance" if kind.has_memory else "stribeck_velocity"


def _stops(count: int, longest: float, dead_band: float) -> _ModelPart:
    """Stop operators with distances in geometric progression, up to the longest."""
    kinds = _kinds_of("stop")

    def terms(shapes: Shapes) -> list[TermSettings]:
        ratio = shapes.get("ratio", 1.0)
        distances = [min(shapes["distance"] * ratio**number, longest) for number in range(count)]
        return [
            TermSettings(kind=kind.name, scale=distance, dead_band=dead_band or None)
            for kind in kinds
            for distance in distances
        ]

    return _ModelPart(("distance", "ratio") if count > 1 else ("distance",), terms)


_MODELS = (
    "viscous + Coulomb",
    "viscous + tanh",
    "asymmetric",
    "viscous + root + tanh",
    "viscous + cubic + tanh",
    "viscous + tanh + Stribeck",
    "viscous + tanh + load",
    "viscous + root + tanh + load",
    "viscous + tanh + Stribeck + load",
    "viscous + root + 1 stop",
    "viscous + root + 2 stops",
    "viscous + root + tanh + 1 stop",
    "viscous + root + tanh + 2 stops",
    "viscous + tanh + Stribeck + 1 stop",
    "viscous + root + tanh + 1 stop + load",
    "viscous + root + tanh + 2 stops + load",
    "viscous + LuGre",
    "viscous + root + LuGre",
    "viscous + root + tanh + LuGre",
    "viscous + root + tanh + LuGre + load",
)


_QUICK_MODELS = ("viscous + tanh", "viscous + root + tanh", "viscous + tanh + Stribeck")


def few_candidates(motion: MotionScales) -> list[Candidate]:
    """Return the candidates that are tried first where the choice has to be quick."""
    loads = ("", " + load") if motion.loaded else ("",)
    return [candidate(name + load, motion) for load in loads for name in _QUICK_MODELS]


def candidates(motion: MotionScales) -> tuple[Candidate, ...]:
    """Return the candidates for a joint, with shapes scaled to its motion, simplest first."""
    names = [name for name in _models() if motion.loaded or not _loaded(name)]
    return tuple(sorted((candidate(name, motion) for name in names), key=lambda c: c.parameters))


def _models() -> tuple[str, ...]:
    """Return the models above, and one for each part that is in none of them."""
    known = " + ".join((*_MODELS, "stop")).split(" + ")
    parts = dict.fromkeys(kind.candidate for kind in term_kinds() if kind.candidate)
    return (*_MODELS, *(f"viscous + tanh + {part}" for part in parts if part not in known))


def _loaded(name: str) -> bool:
    return any(kind.loaded for part in name.split(" + ") for kind in _kinds_of(part))


def candidate(name: str, motion: MotionScales) -> Candidate:
    """Return the sum of these parts, such as ``viscous + tanh``, with shapes scaled to a motion."""
    ranges = _ranges(motion)
    parts = [_part(part, ranges["distance"][1], motion.dead_band) for part in name.split(" + ")]
    used = dict.fromkeys(shape for part in parts for shape in part.shapes)

    def terms(shapes: Shapes) -> tuple[TermSettings, ...]:
        if {"smoothing", "stribeck_velocity"} <= set(shapes):
            # below the smoothing, Stribeck friction would be another smoothing
            least = max(shapes["smoothing"], shapes["stribeck_velocity"])
            shapes = {**shapes, "stribeck_velocity": least}
        return tuple(term for part in parts for term in part.terms(shapes))

    return Candidate(name, tuple(ShapeParameter(shape, *ranges[shape]) for shape in used), terms)


def _ranges(motion: MotionScales) -> dict[str, tuple[float, float]]:
    # a lower limit above the noise at rest, so that encoder noise is not modelled as friction
    smoothest = max(1e-3 * motion.speed, _ABOVE_VELOCITY_NOISE * motion.velocity_noise)
    shortest = max(1e-5 * motion.travel, _ABOVE_POSITION_NOISE * motion.position_noise)
    return {
        "smoothing": (smoothest, max(0.3 * motion.speed, 3.0 * smoothest)),
        "stribeck_velocity": (3e-3 * motion.speed, 0.5 * motion.speed),
        "distance": (shortest, max(3e-2 * motion.travel, 3.0 * shortest)),
        "ratio": (1.5, 30.0),
        "static_ratio": (1e-2, 3.0),
    }
