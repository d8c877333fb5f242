"""Random trees of joints, for tests of properties of every mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from dynid.dynamics.joint_terms import JointTerm, term_kind, term_kinds
from dynid.dynamics.mechanism import Mechanism

JOINT_TYPES = ("revolute", "continuous", "prismatic")
INERTIAL_KINDS = tuple(kind.name for kind in term_kinds() if kind.inertial)
TERM_KINDS = tuple(kind.name for kind in term_kinds())


@dataclass(frozen=True)
class RandomTree:
    """A mechanism whose parameters are physically consistent, and what it was made from."""

    urdf_xml: str
    joints: tuple[str, ...]
    locked: dict[str, float]
    gravity: np.ndarray
    coupling: np.ndarray
    terms: tuple[JointTerm, ...]
    seed: int

    def mechanism(self, *, terms: tuple[JointTerm, ...] | None = None) -> Mechanism:
        bare = Mechanism(
            self.urdf_xml,
            self.joints,
            locked=self.locked,
            gravity=self.gravity,
            coupling=self.coupling,
            terms=self.terms if terms is None else terms,
        )
        parameters = bare.urdf_parameters.copy()
        values = np.random.default_rng(self.seed).uniform(0.05, 2.0, len(bare.terms))
        parameters[10 * len(self.joints) :] = values
        return bare.with_parameters(parameters)

    def states(self, count: int = 3) -> np.ndarray:
        """q, dq and ddq, each (count, n)."""
        rng = np.random.default_rng(self.seed + 1)
        return rng.uniform(-2.0, 2.0, (3, count, len(self.joints)))


def _text(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def _inertial(rng: np.random.Generator) -> str:
    """The inertia of six point masses, which is physically consistent."""
    points = rng.normal(size=(6, 3)) * rng.uniform(0.05, 0.3, 3)
    masses = rng.uniform(0.2, 1.0, 6)
    centre = masses @ points / masses.sum()
    arms = points - centre
    moments = np.einsum("k,kij->ij", masses, [a @ a * np.eye(3) - np.outer(a, a) for a in arms])
    entries = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = moments[np.triu_indices(3)]
    pairs = zip(entries, values, strict=True)
    inertia = " ".join(f'{name}="{value:.17g}"' for name, value in pairs)
    return (
        f'<inertial><origin xyz="{_text(centre)}"/><mass value="{masses.sum():.17g}"/>'
        f"<inertia {inertia}/></inertial>"
    )


def random_urdf(rng: np.random.Generator, types: list[str], chain: bool) -> str:
    parts = ['<robot name="random"><link name="l0"/>']
    for i, kind in enumerate(types, start=1):
        parent = i - 1 if chain else rng.integers(0, i)
        parts.append(f'<link name="l{i}">{_inertial(rng)}</link>')
        axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.3 else rng.normal(size=3)
        parts.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{parent}"/><child link="l{i}"/>'
            f'<origin xyz="{_text(rng.uniform(-0.5, 0.5, 3))}" '
            f'rpy="{_text(rng.uniform(-3, 3, 3))}"/><axis xyz="{_text(axis)}"/>'
            '<limit lower="-3" upper="3" effort="100" velocity="10"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def _coupling(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return an invertible matrix: it is diagonally dominant."""
    matrix = rng.uniform(-0.4, 0.4, (count, count)) / count
    return matrix + np.diag(rng.choice([-1.0, 1.0], count) * rng.uniform(0.7, 1.5, count))


def _term(kind: str, joint: int, side: str) -> JointTerm:
    smoothing = 0.1 if kind in ("coulomb", "stribeck") and joint % 2 else 0.0
    return JointTerm(kind, joint, side, smoothing, scale=0.2 if term_kind(kind).scaled else 0.0)


def _terms(rng: np.random.Generator, count: int, kinds: Sequence[str]) -> tuple[JointTerm, ...]:
    possible = [
        _term(kind, joint, side)
        for kind in kinds
        for joint in range(count)
        for side in ("joint", "motor")
        if side == "joint" or not term_kind(kind).loaded
    ]
    chosen = rng.permutation(len(possible))[: rng.integers(0, 2 * count + 1)]
    return tuple(possible[i] for i in chosen)


@st.composite
def random_trees(draw: st.DrawFn, kinds: Sequence[str] = TERM_KINDS) -> RandomTree:
    """Trees of up to seven joints, some locked, under any gravity, with any terms and coupling."""
    types = draw(st.lists(st.sampled_from(JOINT_TYPES), min_size=1, max_size=7))
    chain = draw(st.booleans())
    locked_count = draw(st.integers(0, len(types) - 1))
    seed = draw(st.integers(0, 2**32 - 2))
    rng = np.random.default_rng(seed)
    names = [f"j{i}" for i in rng.permutation(len(types)) + 1]
    joints = tuple(names[locked_count:])
    # some of the locked joints are not named: their position is zero
    locked = {name: rng.uniform(-2, 2) for name in names[:locked_count] if rng.random() < 0.7}
    return RandomTree(
        urdf_xml=random_urdf(rng, types, chain),
        joints=joints,
        locked=locked,
        gravity=rng.uniform(-10, 10, 3),
        coupling=_coupling(rng, len(joints)),
        terms=_terms(rng, len(joints), kinds),
        seed=seed,
    )
