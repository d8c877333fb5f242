"""A model with its torque along recordings, and how good that is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from numpy.typing import NDArray

from dynid.arguments import check_path
from dynid.arrays import Array
from dynid.evaluation.joint_errors import JointErrors
from dynid.evaluation.verdict import Verdict
from dynid.input_file import inputs_kept
from dynid.notebook import Shown
from dynid.plugins import on_use
from dynid.recording.model import Source
from dynid.robot.model import Model
from dynid.signals.signals import Signals


class EvaluatedModel(Shown):
    """What an identification and a validation have in common."""

    model: Model
    signals: tuple[Signals, ...]
    measured_torque: tuple[Array, ...]
    model_torque: tuple[Array, ...]
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether the model is good: ``verdict.success``."""
        return self.verdict.success

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in drive order."""
        return self.model.joints

    @property
    def errors(self) -> dict[str, JointErrors]:
        """Errors of each joint by its name: ``result.errors["elbow"].rmse``."""
        return {joint.joint: joint for joint in self.verdict.joints}

    def plot(self) -> NDArray[Any]:
        """Draw measured and model torque over time; return matplotlib's axes (n,)."""
        return cast("NDArray[Any]", on_use("dynid.report.figures:torque_axes")(self))

    def _write_report(self, writer: str, path: str | Path) -> Path:
        check_path("report(): path", path)
        sources: tuple[Source, ...] = getattr(self, "sources", ())
        read = (source.path for source in sources if source.path is not None)
        with inputs_kept((*self.model.inputs, *read)):
            on_use(writer)(self, Path(path))
        return Path(path)
