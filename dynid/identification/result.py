"""The result of an identification: the model, its errors and the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dynid.arrays import Array
from dynid.estimation.cross_validation import HeldOut
from dynid.evaluation.consistency_price import ConsistencyPrice
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.verdict import Verdict
from dynid.identification.evaluated_model import EvaluatedModel
from dynid.identification.filter_choice import FilterChoice
from dynid.identification.friction.selection import FrictionSelection
from dynid.identification.quantities import Quantity
from dynid.identification.torque_signs import TorqueSigns
from dynid.notebook import data_frame, html_lines, html_table
from dynid.plugins import on_use
from dynid.recording.model import Source
from dynid.robot.model import Model
from dynid.robot.provenance import Provenance
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals
from dynid.text import NOT_KNOWN, percent, significant, unit

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class StandardParameter:
    """One standard parameter of the model; ``determined``: identifiable from the data alone."""

    name: str
    value: float
    unit: str
    urdf: float
    determined: bool


@dataclass(frozen=True)
class BaseParameter:
    """One base parameter: a combination of standard parameters that torque depends on.

    Attributes:
        name: of the base parameter.
        regrouping: its definition, such as ``ZZ2R = ZZ2 + YY3 + 0.0961 M3``.
        value: the estimate.
        consistent_value: that of the physically consistent solution.
        unit: of the values.
        standard_deviation, relative_standard_deviation: of ``value``.
        essential: whether stepwise elimination keeps it.
        determined: whether it is identifiable from the data.
        interval: between which the central 95 % of its bootstrap replicates are; None without a
            bootstrap, and where one block of the recording determines it almost alone.
    """

    name: str
    regrouping: str
    value: float
    consistent_value: float
    unit: str
    standard_deviation: float
    relative_standard_deviation: float
    essential: bool
    determined: bool
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Identification(EvaluatedModel):
    """The identified model with the details of its identification.

    Attributes:
        model: with its provenance, its errors and the covariance of its parameters.
        signals: one per recording.
        measured_torque, model_torque: (N, n) per recording, filtered [N m or N].
        parameters: the standard parameters.
        base_parameters: all base parameters, including those that are not identifiable.
        consistency_price: what physical consistency costs on blocks left out; None where it is not
            required or this is not known.
        verdict: errors of each joint on the fitted recordings, and whether they are good.
        held_out: errors of cross-validation.
        notes: sentences on what was repaired or removed.
        quantities: those of the profile.
        findings: of the diagnosis, the worst first.
        signs: of the torque, if it was recorded without sign.
        filters: how their cut-off was chosen, if it is ``auto``.
        term_selection: how the joint terms were chosen, if the robot's are ``auto``.
    """

    model: Model
    signals: tuple[Signals, ...]
    measured_torque: tuple[Array, ...]
    model_torque: tuple[Array, ...]
    parameters: tuple[StandardParameter, ...]
    base_parameters: tuple[BaseParameter, ...]
    consistency_price: ConsistencyPrice | None
    verdict: Verdict
    held_out: HeldOut
    notes: tuple[str, ...]
    quantities: tuple[Quantity, ...] = ()
    findings: tuple[Finding, ...] = ()
    signs: TorqueSigns | None = None
    filters: FilterChoice | None = None
    term_selection: FrictionSelection | None = None

    @property
    def robot(self) -> Robot:
        """The robot with the settings that were used."""
        return self.model.robot

    @property
    def sources(self) -> tuple[Source, ...]:
        """The recordings' files."""
        return self.provenance.sources

    @property
    def samples(self) -> int:
        """Number of samples used."""
        return self.provenance.samples

    def report(self, path: str | Path) -> Path:
        """Write the report, one HTML file without external resources, and return its path.

        Raises:
            WriteError: the file cannot be written, or the model was made from it.
        """
        return self._write_report("dynid.report.report:write_report", path)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``dynid identify --json`` prints: verdict and base parameters."""
        content = on_use("dynid.report.verdict_json:identification_json")(self, self)
        return cast("dict[str, Any]", content)

    def to_frame(self) -> DataFrame:
        """Return the base parameters as a pandas DataFrame: value, standard deviation, unit etc.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return data_frame(
            {
                column.name: [getattr(row, column.name) for row in self.base_parameters]
                for column in _COLUMNS
            }
        )

    def __repr__(self) -> str:
        """Return robot and verdict, and a line for each joint."""
        rows = [f"{joint}  {error}  (held out {unseen})" for joint, error, unseen in self._rows()]
        return "\n".join([*self._lines(), "relative torque error:", *rows, *self.verdict.warnings])

    def _repr_html_(self) -> str:
        """Return verdict, errors of the joints, and base parameters with standard deviations."""
        parameters = [
            (
                parameter.name,
                significant(parameter.value),
                f"± {significant(parameter.standard_deviation, 2)}"
                if parameter.determined
                else NOT_KNOWN,
                unit(parameter.unit),
            )
            for parameter in self.base_parameters
        ]
        return (
            html_lines(self._lines())
            + html_table(("joint", "relative error", "held out"), self._rows())
            + "<br>"
            + html_table(("base parameter", "estimate", "standard deviation", "unit"), parameters)
        )

    def _lines(self) -> list[str]:
        made, known = self.provenance, len(self.model.base.names)
        outcome = "FAILED" if made.failed else "succeeded"
        return [
            f"Identification of {self.robot.name}: {outcome}, estimator {made.estimator}, "
            f"{made.samples} samples, {known} of {made.base_parameter_count} base parameters "
            "determined",
            *made.reasons,
        ]

    def _rows(self) -> list[tuple[str, str, str]]:
        return [
            (joint.joint, percent(joint.relative_error), percent(held_out))
            for joint, held_out in zip(
                self.verdict.joints, self.held_out.relative_error, strict=True
            )
        ]

    @property
    def provenance(self) -> Provenance:
        """Provenance of the model."""
        return self.model.identified_provenance


_COLUMNS = fields(BaseParameter)
