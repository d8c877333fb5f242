"""Recursive least squares in scalar sub-models, one joint's row after the other."""

from __future__ import annotations

from dynid.estimation.recursive import RecursiveLeastSquares


class RecursiveLeastSquaresPerJoint(RecursiveLeastSquares):
    """RLS in scalar sub-models: each joint's row estimates its own parameters, last joint first.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (11) and (15). A joint's row is not used for the
    parameters of the joints behind it: the uncertainty is larger than in vector form, but a badly
    measured torque does not affect the joints behind it.
    """

    name = "rls_joint"
    summary = "recursive least squares joint by joint: each row for its own parameters"

    scalar = True
