"""What an MJCF says of a robot that a URDF has no place for: gravity, armature, friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynid.robot.mjcf_compiling import compiled_mjcf

_TERMS = {"Ia": "dof_armature", "Fv": "dof_damping", "Fc": "dof_frictionloss"}


@dataclass(frozen=True)
class MjcfNominal:
    """Nominal values of an MJCF.

    Attributes:
        gravity: in the frame of the world, which is the root link of the URDF [m/s^2].
        terms: rotor inertia, viscous and Coulomb friction of joints that have any, by joint and by
            prefix of dynid's parameters.
    """

    gravity: tuple[float, float, float]
    terms: Mapping[str, Mapping[str, float]]

    def parameters(self, joints: Sequence[str]) -> dict[str, float]:
        """Return the parameters of actuated joints by dynid's names, such as ``Ia1``."""
        return {
            f"{prefix}{number}": value
            for prefix in _TERMS
            for number, joint in enumerate(joints, start=1)
            if (value := self.terms.get(joint, {}).get(prefix))
        }


def mjcf_nominal(text: str, where: Path) -> MjcfNominal:
    """Return gravity and the terms of joints in an MJCF.

    Args:
        text: of the MJCF.
        where: its file, in whose folder included files and meshes are.

    Raises:
        ConfigurationError: MuJoCo is not installed, or cannot compile the text.
    """
    model = compiled_mjcf(text, where)
    terms = {}
    for number in range(model.njnt):
        dof = int(model.jnt_dofadr[number])
        values = {prefix: float(getattr(model, name)[dof]) for prefix, name in _TERMS.items()}
        if any(values.values()):
            terms[str(model.joint(number).name or f"joint_{number}")] = values
    x, y, z = (float(value) for value in np.asarray(model.opt.gravity))
    return MjcfNominal((x, y, z), terms)
