"""An update of a controller's model: standard parameters from base parameters found online."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.physical import parameter_constraints, solve_in_cones
from dynid.estimation.settings import PhysicalSettings


class ModelUpdate(NamedTuple):
    """Standard parameters with their uncertainty.

    Attributes:
        parameters: (p,) physically consistent.
        covariance: (p, p).
    """

    parameters: Array
    covariance: Array


class ModelUpdater:
    """The most probable standard parameters, given base parameters found while the robot works.

    The base parameters B x of the change x are known with the covariance P. What the data do not
    determine stays as in the accepted model, because x has a normal prior with standard deviations
    that are large only where a working robot changes: the body that it carries, and its friction.
    With D their diagonal covariance,

        x = D B^T (B D B^T + P)^-1 (beta - B x_accepted),    cov = D - D B^T (B D B^T + P)^-1 B D.

    Where the result is not physically consistent, it is the nearest one that is, in that
    covariance.

    Args:
        accepted: the mechanism with the accepted parameters.
        deviations: (p,) standard deviations of plausible changes, above 0.
    """

    def __init__(self, accepted: Mechanism, deviations: Array) -> None:
        self._accepted = accepted
        self._deviations = deviations
        self._regrouping = base_parameterization(accepted).regrouping

    def __call__(self, values: Array, covariance: Array) -> ModelUpdate:
        """Return the update of base parameters (k,) with their covariance (k, k).

        Raises:
            EstimationError: no physically consistent parameters were found.
        """
        # scaled by the deviations, so that the prior is the identity
        shown = self._regrouping * self._deviations
        start = self._accepted.parameters
        gain = np.linalg.solve(shown @ shown.T + covariance, shown).T
        change = gain @ (values - self._regrouping @ start)
        left = np.eye(len(start)) - gain @ shown
        left = (left + left.T) / 2
        parameters = start + self._deviations * change
        if self._accepted.physical_problem(parameters):
            parameters = self._consistent(parameters, left)
        return ModelUpdate(parameters, left * np.outer(self._deviations, self._deviations))

    def _consistent(self, parameters: Array, covariance: Array) -> Array:
        values, vectors = np.linalg.eigh(covariance)
        information = (vectors / np.maximum(values, 1e-9)) @ vectors.T
        constraints = parameter_constraints(self._accepted, PhysicalSettings(), self._deviations)
        linear = -information @ (parameters / self._deviations)
        return np.asarray(self._deviations * solve_in_cones(information, linear, *constraints))
