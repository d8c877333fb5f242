"""Models to compare with: plain friction in place of other terms, and the masses of the URDF."""

from __future__ import annotations

import numpy as np

from dynid.dynamics.joint_terms import PLAIN_KINDS
from dynid.estimation.cross_validation import HeldOut, determined_recordings, left_out_errors
from dynid.estimation.fitting import Fit
from dynid.estimation.least_squares import solve


def plain_held_out(fitted: Fit, held_out: HeldOut) -> tuple[float, ...] | None:
    """Cross-validate the model without its terms beyond plain friction, as ``cross_validate`` does.

    The terms' columns are left out of the normal equations, so nothing is filtered or summed again.
    Without them, physical consistency is assumed to cost what it costs the fit: as much as the
    error of its weighted least squares is smaller than ``held_out``.

    Args:
        fitted: the fit.
        held_out: its errors.

    Returns:
        (n,) relative errors on fitted rows that were held out; None if the model is plain already.
    """
    problem, mechanism = fitted.problem, fitted.problem.mechanism
    terms = {mechanism.first_term + i: term.kind for i, term in enumerate(mechanism.terms)}
    independent = np.asarray(problem.base.independent)
    kept = np.array([terms.get(int(i), "offset") in PLAIN_KINDS for i in independent])
    if kept.all():
        return None
    columns = np.flatnonzero(np.append(kept, True))  # and the torque
    weighted, plain = (
        equations.of_columns(columns)
        for equations in (fitted.estimate.equations, fitted.estimate.plain_equations)
    )
    start = problem.base.project(mechanism.urdf_parameters)
    equations = fitted.estimate.equations, fitted.estimate.plain_equations
    determined = determined_recordings(fitted, equations[1])
    error = left_out_errors(weighted, plain, start[kept], 0.0, determined).total
    start_error = left_out_errors(*equations, start, 0.0, determined).total
    ratio = np.sqrt(
        np.divide(error, start_error, out=np.full_like(start_error, np.inf), where=start_error > 0)
    )
    return tuple(float(e) for e in ratio * held_out.relative_error)


def urdf_terms(fitted: Fit) -> tuple[float, ...]:
    """Fit the joint terms (t,) together with the masses of the URDF, weighted as the fit is.

    The model's own terms make up for the model's masses, not for those of the URDF.
    """
    problem, estimate = fitted.problem, fitted.estimate
    first = problem.mechanism.first_term
    urdf = problem.mechanism.urdf_parameters
    bodies = np.where(np.arange(len(urdf)) < first, urdf, 0.0)
    terms = problem.base.regrouping[:, first:]
    gram = np.einsum("j,jik->ik", 1 / estimate.joint_variance, estimate.equations.joint_gram)
    rest = gram[:-1, -1] - gram[:-1, :-1] @ problem.base.project(bodies)
    information = terms.T @ gram[:-1, :-1] @ terms
    return tuple(solve(information, information, terms.T @ rest, urdf[first:]).base.tolist())
