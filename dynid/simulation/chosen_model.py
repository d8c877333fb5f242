"""The model that a user names: an identified one, or that of a robot's profile."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import ConfigurationError
from dynid.profile import RobotProfile, load_profile
from dynid.robot.model_reader import StoredModel, read_model
from dynid.simulation.true_parameters import true_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dynid.dynamics.mechanism import Mechanism


@dataclass(frozen=True)
class ChosenModel:
    """A mechanism with the parameters that were asked for.

    Attributes:
        profile, urdf_xml: What the mechanism was built from.
        mechanism: The model.
        origin: Where its parameters are from, as a sentence.
        provenance: Further sentences about an identified model.
        standard_deviations: Of its base parameters, by name.
    """

    profile: RobotProfile
    urdf_xml: str
    mechanism: Mechanism
    origin: str
    provenance: tuple[str, ...] = ()
    standard_deviations: Mapping[str, float] = field(default_factory=dict)

    def without_terms(self, kinds: Sequence[str]) -> ChosenModel:
        """Return the same model less all joint terms of some kinds.

        Raises:
            ConfigurationError: The model has no terms of such a kind.
        """
        there = list(dict.fromkeys(term.kind for term in self.mechanism.terms))
        for kind in kinds:
            if kind not in there:
                message = f"--without {kind}: the model's terms are {', '.join(there) or 'none'}."
                raise ConfigurationError(message)
        kept = tuple(term for term in self.profile.terms if term.kind not in kinds)
        profile = self.profile.model_copy(update={"terms": kept})
        bodies = [True] * self.mechanism.first_term
        terms = [term.kind not in kinds for term in self.mechanism.terms]
        values = self.mechanism.parameters[np.array(bodies + terms)]
        left_out = [f"Left out: the joint terms {kind}." for kind in kinds]
        return replace(
            self,
            profile=profile,
            mechanism=profile.mechanism(self.urdf_xml).with_parameters(values),
            provenance=(*self.provenance, *left_out),
        )


def chosen_model(
    model: Path | None, profile: str | None, urdf: Path | None, settings: Sequence[str] | None
) -> ChosenModel:
    """Return the model that options name: a model.yaml, or a profile with a URDF and overrides.

    A profile's parameters are those of its simulated robot, so the URDF's but for those that the
    profile gives.

    Raises:
        DynidError: Not just one of them is named, or it cannot be read.
    """
    if profile is not None and model is None:
        return _of_profile(*load_profile(profile, urdf=urdf, overrides=settings or []))
    if model is None or profile is not None:
        message = "Name either an identified model with --model, or a robot with --profile."
        raise ConfigurationError(message)
    if urdf is not None or settings:
        message = "--urdf and --set belong to a profile: a model.yaml has its own."
        raise ConfigurationError(message)
    return _identified(read_model(model), model)


def _of_profile(robot: RobotProfile, urdf_xml: str) -> ChosenModel:
    mechanism = robot.mechanism(urdf_xml)
    if robot.simulation is None:
        origin = "parameters of the URDF, joint terms 0 (the profile simulates no robot)."
        return ChosenModel(robot, urdf_xml, mechanism, origin)
    origin = "parameters of the URDF, and of the profile's simulated robot where it names others."
    true = true_parameters(mechanism, robot.simulation)
    return ChosenModel(robot, urdf_xml, mechanism.with_parameters(true), origin)


def _identified(stored: StoredModel, path: Path) -> ChosenModel:
    entries = stored.entries
    outcome = "" if stored.status == "success" else " (which failed its criterion)"
    sources = zip(entries.recordings, entries.recordings_sha256, strict=True)
    return ChosenModel(
        profile=stored.profile,
        urdf_xml=stored.urdf_xml,
        mechanism=stored.mechanism(),
        origin=f"parameters as identified, {path.name} of {entries.created}{outcome}.",
        provenance=tuple(f"Recording: {name}, SHA-256 {digest}" for name, digest in sources),
        standard_deviations=stored.base_deviations,
    )
