"""An identified model: mechanism, parameters, their covariance, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynid.arguments import check_path
from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, OutputError
from dynid.files import write_text
from dynid.notebook import data_frame, html_lines, html_table
from dynid.recording.model import Source
from dynid.robot.model_text import model_text
from dynid.robot.provenance import (
    NO_QUANTITIES,
    BaseEstimate,
    ModelErrors,
    Provenance,
    StoredQuantities,
)
from dynid.robot.robot import Robot
from dynid.text import percent, printable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Model:
    """The dynamic model of a robot, the same whether just identified or read from model.yaml.

    Attributes:
        robot: what it is the model of, with the settings its recordings were read and filtered by.
        mechanism: with the model's parameters.
        base: the base parameters and their covariance.
        provenance: how it came about; None for a model that nobody identified (a URDF's).
        errors: on the recordings that it is from; None as above.
        determined: (p,) which standard parameters the recordings alone determine.
        quantities: that the profile asks for.
        source: its file and SHA-256, or the robot's name where it has no file.
        sealed: whether the file that it was read from carries a seal, which was right.
    """

    robot: Robot
    mechanism: Mechanism
    base: BaseEstimate
    provenance: Provenance | None = None
    errors: ModelErrors | None = None
    determined: tuple[bool, ...] = ()
    quantities: StoredQuantities = NO_QUANTITIES
    source: Source | None = None
    sealed: bool = True

    @property
    def parameters(self) -> Array:
        """The standard parameters and those of the joint terms, (p,), read-only."""
        return self.mechanism.parameters

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Their names, (p,)."""
        return self.mechanism.parameter_names

    @property
    def identified_provenance(self) -> Provenance:
        """How an identified model came about.

        Raises:
            ValueError: nobody identified this model.
        """
        if self.provenance is None:
            raise ValueError(f"the model of {self.robot.name} was not identified")
        return self.provenance

    @property
    def failed(self) -> bool:
        """Whether its identification failed its criterion."""
        return self.provenance is not None and self.provenance.failed

    def inverse_dynamics(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
        """Return the torque at the actuated joints [N m or N] for a motion; all (N, n), or (n,)."""
        return self.mechanism.inverse_dynamics(q, dq, ddq)

    def forward_dynamics(self, q: ArrayLike, dq: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations that torques cause; all (N, n), or (n,)."""
        return self.mechanism.forward_dynamics(q, dq, tau)

    def gravity(self, q: ArrayLike) -> Array:
        """Return the torque that holds the robot against gravity [N m or N]; (N, n), or (n,)."""
        return self.mechanism.gravity_torque(q)

    def friction(self, dq: ArrayLike) -> Array:
        """Torque of the joint terms in a motion at constant velocity [N m or N]; (N, n), or (n,).

        At position 0 and without acceleration, so that rotor inertia adds nothing; a spring adds
        its preload.
        """
        still = np.zeros_like(np.asarray(dq, dtype=np.float64))
        return self.mechanism.term_torque(still, dq, still)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return m(q), with rotor inertias: (N, n, n), or (n, n)."""
        return self.mechanism.mass_matrix(q)

    def coriolis_matrix(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """Return c(q, dq) such that dM/dt - 2 C is skew-symmetric: (N, n, n), or (n, n)."""
        return self.mechanism.coriolis_matrix(q, dq)

    def with_robot(self, robot: Robot) -> Model:
        """The same model with a robot's other settings, say to filter recordings otherwise."""
        return replace(self, robot=robot)

    def without_terms(self, kinds: Sequence[str]) -> Model:
        """Return the same model less all joint terms of some kinds.

        Raises:
            ConfigurationError: the model has no terms of such a kind.
        """
        there = list(dict.fromkeys(term.kind for term in self.mechanism.terms))
        for kind in kinds:
            if kind not in there:
                message = f"--without {kind}: the model's terms are {', '.join(there) or 'none'}."
                raise ConfigurationError(message)
        bodies = [True] * self.mechanism.first_term
        kept = np.array(bodies + [term.kind not in kinds for term in self.mechanism.terms])
        robot = self.robot.with_terms([t for t in self.robot.terms if t.kind not in kinds])
        determined = np.array(self.determined, dtype=bool)
        return replace(
            self,
            robot=robot,
            mechanism=robot.mechanism().with_parameters(self.parameters[kept]),
            determined=tuple(determined[kept].tolist()) if len(determined) else (),
        )

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write model.yaml, whole or not at all.

        Args:
            path: of the file; what was there is replaced.
            force: whether a model whose identification failed is written, too.

        Raises:
            OutputError: the identification failed, or the file cannot be written.
            ValueError: nobody identified this model.
        """
        check_path("save(): path", path)
        if self.provenance is not None and self.provenance.failed and not force:
            reasons = "; ".join(one.rstrip(".") for one in self.provenance.reasons)
            raise OutputError(
                f"{printable(path)}: not written, because the identification of this model failed "
                f"({reasons}); identify again, or save it with force=True as model.failed.yaml."
            )
        write_text(Path(path), self.text())

    def text(self) -> str:
        """Return the text of model.yaml.

        Raises:
            ValueError: nobody identified this model.
        """
        if self.provenance is None or self.errors is None:
            raise ValueError(f"the model of {self.robot.name} was not identified")
        return model_text(
            self.robot,
            self.mechanism,
            self.provenance,
            self.errors,
            self.base,
            determined=self.determined,
            quantities=self.quantities,
        )

    def to_frame(self) -> DataFrame:
        """Return the standard parameters as a pandas DataFrame: name, value, unit, determined.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        determined = self.determined or (True,) * len(self.parameters)
        return data_frame(
            {
                "name": self.parameter_names,
                "value": self.parameters,
                "unit": self.mechanism.parameter_units,
                "determined": determined,
            }
        )

    def __repr__(self) -> str:
        """Return two lines: robot, parameters, origin, errors."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """Return the same, and the joints' errors as a table, for a notebook."""
        lines = html_lines(self._lines())
        if self.errors is None:
            return lines
        rows = [
            (joint, percent(mean), percent(relative))
            for joint, mean, relative in zip(
                self.mechanism.joints,
                self.errors.mean_relative_torque_error,
                self.errors.relative_error,
                strict=True,
            )
        ]
        return lines + html_table(("joint", "mean error", "relative error"), rows)

    def _lines(self) -> list[str]:
        joints, count = len(self.mechanism.joints), len(self.parameters)
        first = f"Model of {self.robot.name}: {joints} joints, {count} parameters"
        if self.provenance is None:
            return [f"{first}, not identified"]
        made = self.provenance
        outcome = "succeeded" if made.status == "success" else "FAILED"
        return [
            f"{first} ({len(self.base.names)} of {made.base_parameter_count} base parameters "
            "determined)",
            f"identification {outcome}, {made.created:%Y-%m-%d}, estimator {made.estimator}, "
            f"{made.samples} samples of {', '.join(s.name for s in made.sources) or 'no file'}",
            *([] if made.edited_at is None else [f"edited by hand, {made.edited_at:%Y-%m-%d}"]),
        ]


def nominal_model(robot: Robot, parameters: ArrayLike | None = None) -> Model:
    """Return a model that nobody identified: with the URDF's parameters, or given ones (p,).

    Raises:
        MechanismError: robot and URDF do not make a mechanism.
    """
    mechanism = robot.mechanism()
    if parameters is not None:
        mechanism = mechanism.with_parameters(parameters)
    return Model(robot, mechanism, BaseEstimate.empty())
