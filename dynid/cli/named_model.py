"""The model that ``--model`` or ``--profile`` names, and where its parameters come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynid.cli.options import profile_option
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.robot.model import Model

OrProfile = Annotated[
    str | None,
    profile_option(
        "In place of a model: a shipped robot or a profile, with its nominal parameters."
    ),
]


def named_model(
    model: Path | None, profile: str | None, urdf: Path | None, settings: Sequence[str] | None
) -> Model:
    """Return the model that options name: a model.yaml, or that of a profile's simulated robot.

    Raises:
        DynidError: not just one of them is named, or it cannot be read.
    """
    from dynid.cli.loading import load_robot
    from dynid.profile import load_model
    from dynid.simulation.true_parameters import simulated_model

    if profile is not None and model is None:
        return simulated_model(load_robot(profile, urdf=urdf, overrides=settings or []))
    if model is None or profile is not None:
        raise ConfigurationError("Name either a model with --model, or a robot with --profile.")
    if urdf is not None or settings:
        message = "--urdf and --set change a profile, not a model.yaml; use them with --profile."
        raise ConfigurationError(message)
    return load_model(model)


def origin(model: Model) -> str:
    """Return the origin of a model's parameters as a sentence."""
    from dynid.simulation.settings import SimulationSettings

    made = model.provenance
    if made is not None:
        outcome = " (which failed its criterion)" if made.failed else ""
        name = "a model" if model.source is None else model.source.name
        return f"identified parameters, {name} of {made.dated}{outcome}."
    if model.robot.find(SimulationSettings) is None:
        return "parameters of the URDF, joint terms 0 (the profile has no simulated robot)."
    return "parameters of the URDF, or of the profile's simulated robot where it gives others."


def provenance(model: Model, without: Sequence[str]) -> list[str]:
    """Return sentences on a model's recordings and omitted joint terms."""
    return [
        *(f"Recording: {source.name}, SHA-256 {source.sha256}" for source in model.sources),
        *(f"Omitted: joint terms of kind {kind}." for kind in without),
    ]
