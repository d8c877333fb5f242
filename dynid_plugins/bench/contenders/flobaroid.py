"""FloBaRoID's method, written from its documentation: https://github.com/kjyv/FloBaRoID.

As its settings for the KUKA LWR 4+ choose: ordinary least squares of the base parameters, reduced
by QR (S. Bethge, J. Malzahn, N. Tsagarakis, D. Caldwell, RAAD 2017), as a semidefinite programme in
the standard parameters with the matrix inequality of every body (C. Sousa, R. Cortesao, 2014),
nonnegative viscous friction, Coulomb friction as tanh(v / 0.02), and offsets; no rotor inertia.

Left out is what needs knowledge of the robot: bounds of masses and centres, the refit of friction,
and the pull towards the CAD model, which moves parameters that no torque shows. In its place is a
pull towards zero that is too weak to move a torque.
"""

from __future__ import annotations

import clarabel
import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid_plugins.bench.contenders.interface import Contender, FittedModel, FittingTask
from dynid_plugins.bench.contenders.plain_script import PlainScript

_SMOOTHING = 0.02  # of the sign of velocity [rad/s]
_MARGIN = 1e-6  # of the inequalities
_PULL = 1e-8  # towards zero, over the squared norms of columns
_LEAST_NORM = 1e-3  # norm of a column, over the largest, from which on it is scaled
_INERTIA = (3, 3), (3, 4), (4, 4), (3, 5), (4, 5), (5, 5)  # xx, xy, yy, xz, yz, zz of pinocchio


def fit(task: FittingTask) -> FittedModel:
    """Fit standard parameters with physically consistent bodies."""
    task.refuse_loops()
    arm = PlainScript(task.robot.urdf_xml, task.robot.joints, task.gravity())
    q, dq, ddq, tau = task.motion_and_torque()
    found = _consistent(_rows(arm, q, dq, ddq), tau)
    return FittedModel.of_motion(lambda *motion: np.asarray(_rows(arm, *motion) @ found))


def _rows(arm: PlainScript, q: Array, dq: Array, ddq: Array) -> Array:
    """Return rows (N, n, 13 n): bodies, viscous and Coulomb friction, offset."""
    n, each = q.shape[1], np.arange(q.shape[1])
    rows = arm.regressor(q, dq, ddq)[:, :, : 13 * n]
    rows[:, each, 11 * n + each] = np.tanh(dq / _SMOOTHING)
    return rows


def _consistent(rows: Array, tau: Array) -> Array:
    """Return the parameters (13 n,) of least squared torque whose bodies are consistent."""
    _, n, columns = rows.shape
    whole = np.column_stack([rows.reshape(-1, columns), tau.ravel()])
    triangle: Array = np.asarray(np.linalg.qr(whole, mode="r"))
    reduced, target = triangle[:, :-1], triangle[:, -1]
    norms = np.linalg.norm(reduced, axis=0)
    scale = np.maximum(norms, _LEAST_NORM * norms.max()) / np.linalg.norm(target)
    reduced, target = reduced / scale / np.linalg.norm(target), target / np.linalg.norm(target)
    square = reduced.T @ reduced + _PULL * np.eye(columns)
    friction = scipy.sparse.csc_matrix(-np.eye(columns)[10 * n : 11 * n])
    bodies = [scipy.sparse.csc_matrix(_body(number, columns)) for number in range(n)]
    limits = np.concatenate([np.full(n, -_MARGIN), np.tile(-_MARGIN * _triangle(np.eye(6)), n)])
    cones = [clarabel.NonnegativeConeT(n), *(clarabel.PSDTriangleConeT(6) for _ in bodies)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    unit = scipy.sparse.csc_matrix(np.diag(1 / scale))
    solved = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(np.triu(square)),
        -reduced.T @ target,
        scipy.sparse.csc_matrix(scipy.sparse.vstack([friction, *bodies]) @ unit),
        limits,
        cones,
        settings,
    ).solve()
    if "Solved" not in str(solved.status):
        raise ConfigurationError(f"its semidefinite programme ended with {solved.status}.")
    return np.asarray(np.array(solved.x) / scale)


def _body(number: int, columns: int) -> Array:
    """Return rows (21, columns): minus the triangle of [[m 1, S(l)'], [S(l), L]] of a body.

    L is its inertia about the origin of its frame [kg m^2], l its first moment [kg m], m its mass.
    """
    rows = np.zeros((21, columns))
    for parameter in range(10):
        matrix = np.zeros((6, 6))
        if parameter == 0:
            matrix[:3, :3] = np.eye(3)
        elif parameter < 4:
            matrix[3:, :3] = np.cross(np.eye(3)[parameter - 1], np.eye(3)).T
            matrix[:3, 3:] = matrix[3:, :3].T
        else:
            i, j = _INERTIA[parameter - 4]
            matrix[i, j] = matrix[j, i] = 1.0
        rows[:, 10 * number + parameter] = -_triangle(matrix)
    return rows


def _triangle(matrix: Array) -> Array:
    """Return the upper triangle by columns, as the solver wants it, off-diagonals times root 2."""
    i, j = np.tril_indices(6)
    return np.asarray(matrix[i, j] * np.where(i == j, 1.0, np.sqrt(2.0)))


FLOBAROID = Contender(
    "FloBaRoID's method",
    fit,
    ("clarabel", "pin"),
    "its kuka_lwr4.yaml, without what needs a prior of the robot",
)
