"""An identified model: mechanism, parameters, their covariance, and provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from dynid.arguments import check_path
from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ArgumentError, ConfigurationError, WriteError
from dynid.files import write_text
from dynid.input_file import inputs_kept
from dynid.notebook import Shown, data_frame, html_lines, html_table
from dynid.plugins import NAMES, load_plugin, on_use
from dynid.recording.model import Recording, Source, source_names
from dynid.robot.provenance import (
    BaseEstimate,
    ModelErrors,
    Provenance,
    StoredQuantities,
)
from dynid.robot.robot import Robot
from dynid.robot.urdf_export import identified_urdf
from dynid.text import percent, printable

if TYPE_CHECKING:
    from pandas import DataFrame


_WITHIN = 1.96  # standard deviations of a normal distribution, which contain 95 %
# of model.export(), by the ending of the file
_FORMATS = {".urdf": "urdf", ".xml": "mjcf", ".sdf": "sdf", ".usda": "usd"}


class PredictedTorque(NamedTuple):
    """A model's torque at the samples of a recording, NaN where filters have not settled.

    Attributes:
        torque: (N, n) at the joints [N m or N].
        band: (N, n) half-width of its 95 % interval [N m or N]; NaN where it is not known.
    """

    torque: Array
    band: Array


@dataclass(frozen=True, eq=False)
class Model(Shown):
    """The dynamic model of a robot, from an identification or from model.yaml.

    Attributes:
        robot: the robot, with the settings used to read and filter its recordings.
        mechanism: with the model's parameters.
        base: the base parameters and their covariance.
        provenance: of the identification; None for a nominal model (the URDF's parameters).
        errors: on the recordings used; None for a nominal model.
        determined: (p,) which standard parameters the recordings alone determine.
        urdf_terms: (t,) joint terms fitted together with the masses of the URDF; (): not known.
        quantities: defined in the profile.
        thresholds: the controller's parameters ``collision`` that were tuned with this model, and
            are in its file; they are among the robot's settings. Empty if there are none.
        source: its file and SHA-256, or the robot's name without a file.
        sealed: whether the file that it was read from has a valid seal.
    """

    robot: Robot
    mechanism: Mechanism
    base: BaseEstimate
    provenance: Provenance | None = None
    errors: ModelErrors | None = None
    determined: tuple[bool, ...] = ()
    urdf_terms: tuple[float, ...] = ()
    quantities: StoredQuantities = field(default_factory=StoredQuantities)
    thresholds: Mapping[str, Any] = field(default_factory=dict)
    source: Source | None = None
    sealed: bool = True

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the actuated joints, in drive order."""
        return self.mechanism.joints

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
        """Provenance of an identified model.

        Raises:
            ValueError: this model was not identified.
        """
        if self.provenance is None:
            raise ValueError(f"the model of {self.robot.name} was not identified")
        return self.provenance

    @property
    def sources(self) -> tuple[Source, ...]:
        """The recordings that it was identified from; none if it was not."""
        return () if self.provenance is None else self.provenance.sources

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Files read in this process that the model was made from, which outputs never replace."""
        return (
            *self.robot.files,
            *(source.path for source in self.sources if source.path is not None),
        )

    @property
    def failed(self) -> bool:
        """Whether its identification failed its criterion."""
        return self.provenance is not None and self.provenance.failed

    def inverse_dynamics(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
        """Compute the torque at the actuated joints [N m or N] of a motion; all (N, n), or (n,)."""
        return self.mechanism.inverse_dynamics(q, dq, ddq)

    def forward_dynamics(self, q: ArrayLike, dq: ArrayLike, tau: ArrayLike) -> Array:
        """Compute the accelerations due to torques; all (N, n), or (n,)."""
        return self.mechanism.forward_dynamics(q, dq, tau)

    def gravity(self, q: ArrayLike) -> Array:
        """Compute the torque that balances gravity [N m or N]; (N, n), or (n,)."""
        return self.mechanism.gravity_torque(q)

    def friction(self, dq: ArrayLike) -> Array:
        """Compute the torque of the joint terms at constant velocity [N m or N]; (N, n), or (n,).

        Position and acceleration are 0, so that rotor inertia has no effect; a spring contributes
        its preload.
        """
        still = np.zeros_like(np.asarray(dq, dtype=np.float64))
        return self.mechanism.term_torque(still, dq, still)

    def torque_interval(self, dq: ArrayLike) -> Array:
        """Return the half-width of the 95 % interval of torque [N m or N]; (N, n), or (n,).

        It is the quantile of the errors on data that were not fitted, in motion and at rest, after
        the filters of the identification (``dynid.evaluation.torque_intervals``). Where these data
        are of the recordings that were fitted, friction of another recording is added, with its
        standard deviation ``base.friction_repeatability``.

        Args:
            dq: velocities (N, n), or (n,); slower joints than those fitted in motion are at rest.

        Raises:
            ConfigurationError: the model does not have intervals, such as one not identified.
        """
        if self.errors is None or not self.errors.moving_interval:
            message = f"the model of {self.robot.name} has no intervals of torque; identify it."
            raise ConfigurationError(message)
        velocity = np.asarray(dq, dtype=np.float64)
        moving = np.abs(velocity) > self.errors.velocity_threshold
        in_motion = np.asarray(self.errors.moving_interval)
        if self.base.friction_repeatability_origin != "recordings":  # or it is in the errors
            friction = (self.friction(velocity) - self.friction(-velocity)) / 2  # without offsets
            in_motion = np.hypot(in_motion, _WITHIN * self.base.friction_repeatability * friction)
        return np.where(moving, in_motion, self.errors.resting_interval)

    def predict(self, recording: Recording | str | Path, *arrays: object) -> PredictedTorque:
        """Predict the torque along a recording: ``torque, band = model.predict(recording)``.

        Positions are filtered and differentiated as in the identification, and rest is kept, so
        that each sample has its torque. Torque and the half-width of its 95 % interval are (N, n)
        [N m or N], and NaN within 1/cutoff_hz of an end in motion, where filters have not settled.

        Args:
            recording: of the robot, or its file; efforts in it are not used.
            arrays: none; :meth:`inverse_dynamics` takes arrays.

        Raises:
            DynidError: the recording is not suitable.
        """
        if arrays:
            raise ArgumentError(
                "predict(): takes one recording; of arrays: model.inverse_dynamics(q, dq, ddq)."
            )
        predict = on_use("dynid.identification.predicted_torque:predict_torque")
        return cast("PredictedTorque", predict(self, recording))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Compute M(q), with rotor inertias: (N, n, n), or (n, n)."""
        return self.mechanism.mass_matrix(q)

    def coriolis_matrix(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """Compute C(q, dq) such that dM/dt - 2 C is skew-symmetric: (N, n, n), or (n, n)."""
        return self.mechanism.coriolis_matrix(q, dq)

    def with_robot(self, robot: Robot) -> Model:
        """Return the same model with other settings of the robot, such as other filters.

        What these settings leave to the data is as it was decided for the model.
        """
        for decided in self.robot.tasks:
            given = robot.settings(type(decided))
            settings = given.as_decided(decided)
            robot = robot if settings is given else robot.with_settings(settings)
        return replace(self, robot=robot, thresholds={})

    def without_terms(self, kinds: Sequence[str]) -> Model:
        """Return the same model without joint terms of some kinds.

        Raises:
            ConfigurationError: the model has no terms of such a kind.
        """
        present = list(dict.fromkeys(term.kind for term in self.mechanism.terms))
        for kind in kinds:
            if kind not in present:
                message = f"--without {kind}: the model's terms are {', '.join(present) or 'none'}."
                raise ConfigurationError(message)
        bodies = [True] * self.mechanism.first_term
        kept = np.array(bodies + [term.kind not in kinds for term in self.mechanism.terms])
        kept_terms = [t for t in self.robot.explicit_terms if t.kind not in kinds]
        robot = self.robot.with_terms(kept_terms)
        determined = np.array(self.determined, dtype=bool)
        return replace(
            self,
            robot=robot,
            mechanism=robot.mechanism().with_parameters(self.parameters[kept]),
            determined=tuple(determined[kept].tolist()) if len(determined) else (),
            urdf_terms=(),
            thresholds={},
        )

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write model.yaml atomically.

        Args:
            path: of the file; an existing file is replaced.
            force: write also a model whose identification failed.

        Raises:
            WriteError: the identification failed, the file cannot be written, or the model was
                made from it.
            ValueError: this model was not identified.
        """
        check_path("save(): path", path)
        self._refuse_failed(path, force, "save it with force=True as model.failed.yaml")
        with inputs_kept(self.inputs):
            write_text(Path(path), self.text())

    def export(self, path: str | Path, *, force: bool = False) -> None:
        """Write the robot with this model's parameters: the format is that of the ending.

        Args:
            path: ``.urdf``, or, by the plug-in ``simulators``, ``.xml`` (MJCF), ``.sdf`` or
                ``.usda``; an existing file is replaced. dynid.export_model has more options.
            force: write also a model whose identification failed.

        Raises:
            WriteError: the identification failed, the file cannot be written, or the model was
                made from it.
            ConfigurationError: the ending is none of these, or a library is not installed.
            MechanismError: a body has no positive mass.
        """
        check_path("export(): path", path)
        file = Path(path)
        to = _FORMATS.get(file.suffix.lower())
        if to is None:
            endings = ", ".join(_FORMATS)
            raise ConfigurationError(
                f"export(): {printable(path)[:80]} must end in one of {endings}; model.save() "
                "writes model.yaml."
            )
        self._refuse_failed(path, force, "export it with force=True")
        if to == "urdf":
            with inputs_kept(self.inputs):
                write_text(file, identified_urdf(self.robot.urdf_xml, self.mechanism))
        else:
            load_plugin(NAMES, "export_model", "model.export()")(self, to).save(file)

    def _refuse_failed(self, path: str | Path, force: bool, remedy: str) -> None:
        if self.provenance is None or not self.provenance.failed or force:
            return
        reasons = "; ".join(reason.rstrip(".") for reason in self.provenance.reasons)
        raise WriteError(
            f"{printable(path)}: not written, because the identification of this model failed "
            f"({reasons}); identify again, or {remedy}."
        )

    def text(self) -> str:
        """Return the text of model.yaml.

        Raises:
            ValueError: this model was not identified.
        """
        return str(on_use("dynid.robot.model_text:model_text")(self))

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

    def covariance_frame(self) -> DataFrame:
        """Return the covariance of the base parameters as a pandas DataFrame, named on both sides.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        names = self.base.names
        frame = data_frame(dict(zip(names, self.base.covariance_of(names).T, strict=True)))
        return frame.set_axis(list(names), axis="index")

    def __repr__(self) -> str:
        """Return two lines of text: robot, parameters, origin, errors."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """Return the same, and a table of the joints' errors, for a notebook."""
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
            f"{made.samples} samples of {source_names(made.sources) or 'no file'}",
            *([] if made.edited_at is None else [f"edited by hand, {made.edited_at:%Y-%m-%d}"]),
        ]


def nominal_model(robot: Robot, parameters: ArrayLike | None = None) -> Model:
    """Return a model without identification: with the URDF's parameters, or given ones (p,).

    Raises:
        MechanismError: robot and URDF do not make a mechanism.
    """
    robot = robot.with_explicit_terms()
    mechanism = robot.mechanism()
    if parameters is not None:
        mechanism = mechanism.with_parameters(parameters)
    return Model(robot, mechanism, BaseEstimate.empty())
