"""Variation of identified parameters between days, found from the robot's own recordings.

The covariance of one recording contains its noise, but neither the friction of the day
(temperature, lubrication, load before) nor errors of the model that depend on the motion. The
parameters of recording i are taken as ``y_i = mean + b_i + e_i`` (random effects; DerSimonian and
Laird 1986): ``e_i`` has the covariance within the recording, ``b_i`` that between days. There are
more parameters than recordings, so ``b_i`` has few unknowns: the relative variance of friction at
each joint, that of the friction of all joints together (the room's temperature), and for all other
parameters a multiple of their covariance within a recording. How it resembles that of the days
before is estimated in :mod:`dynid_plugins.fleet.drift.persistence`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.repeatability import DEFAULT
from dynid_plugins.fleet.drift.persistence import Persistence

_ASSUMED_FREEDOM = 4.0  # degrees of freedom that the assumption counts as
_ASSUMED = DEFAULT**2 / 2  # a recording differs from the mean by 1/√2 of the difference of two
_COMMON = 0.5  # assumed share of all joints together in it


@dataclass(frozen=True, eq=False)
class Groups:
    """Parameters that vary together between days.

    Attributes:
        number: (k,) group of each parameter; 0 is that of the parameters other than friction.
        sizes: (k,) absolute values of friction, to which its variation is relative; else 0.
        names: (g,) of the groups.
    """

    number: NDArray[np.intp]
    sizes: Array
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BetweenDays:
    """The component of variance between days.

    Attributes:
        groups: of the parameters.
        others: variance of the parameters other than friction, as a multiple of that within a
            recording.
        joints: (g - 1,) relative variance of the friction of each joint.
        common: relative variance of the friction of all joints together.
        freedom: (g + 2,) degrees of freedom of these estimates, in this order, and of what the
            parameters of one joint's friction do not have in common.
        correlation: between the parameters of one joint's friction.
        persistence: correlation with the days before.
    """

    groups: Groups
    others: float
    joints: Array
    common: float
    freedom: Array
    correlation: float = 0.5
    persistence: Persistence = field(default_factory=lambda: Persistence.fixed(0.0))

    def covariance(self, within: Array) -> Array:
        """Return the covariances (R, k, k) of recordings, given those within them (R, k, k)."""
        return np.asarray(within + self.days(within))

    def days(self, within: Array) -> Array:
        """Return the component's covariances (R, k, k), given those within recordings."""
        bodies = (self.groups.number == 0).astype(float)
        sizes = self.groups.sizes
        number = self.groups.number
        same = np.where(number[:, None] == number, self.correlation, 0.0)
        np.fill_diagonal(same, 1.0)
        shares = np.append(0.0, self.joints)[number]
        days = (shares * same + self.common) * np.outer(sizes, sizes)
        return np.asarray(within * (self.others * np.outer(bodies, bodies)) + days)

    def parts(self, matrix: Array, within: Array) -> Array:
        """Return what each estimate adds to the variances of weighted sums of parameters.

        Args:
            matrix: (c, k) weights.
            within: (k, k) covariance within a recording.

        Returns:
            (g + 2, c), in the order of ``freedom``.
        """
        members = self.groups.number[:, None] == np.arange(1, len(self.groups.names))
        bodies = matrix * (self.groups.number == 0)
        friction = matrix * self.groups.sizes
        others = self.others * (bodies @ within * bodies).sum(axis=1)
        alone, together = friction**2 @ members, (friction @ members) ** 2
        common = self.common * friction.sum(axis=1) ** 2
        joints = self.joints * self.correlation * together
        apart = (1 - self.correlation) * (alone @ self.joints)
        return np.vstack([others, joints.T, common, apart])

    def freedom_if(self, correlation: float) -> Array:
        """Return the degrees of freedom (g + 2,) if days have a correlation.

        Recordings that resemble each other count as fewer.
        """
        independent = (1 - correlation**2) / (1 + correlation**2)
        return np.asarray(_ASSUMED_FREEDOM + (self.freedom - _ASSUMED_FREEDOM) * independent)

    def of_joints(self) -> tuple[Array, Array]:
        """Return weights (k, j) of the mean relative friction of each of j joints.

        Returns:
            the weights, and the covariance (j, j) of these means between days.
        """
        members = self.groups.number[:, None] == np.arange(1, len(self.groups.names))
        seen = members.any(axis=0)
        count = members.sum(axis=0)[seen]
        sizes = np.where(self.groups.sizes > 0, self.groups.sizes, 1.0)
        own = self.joints[seen] * (1 + (count - 1) * self.correlation) / count
        return members[:, seen] / count / sizes[:, None], np.diag(own) + self.common

    def with_persistence(self, persistence: Persistence) -> BetweenDays:
        """Return the component whose days resemble each other, with its larger variances."""
        factor = persistence.mean_inflation
        return replace(
            self,
            others=self.others * factor,
            joints=self.joints * factor,
            common=self.common * factor,
            persistence=persistence,
        )

    def drawn(self, random: np.random.Generator) -> BetweenDays:
        """Return another value of the component that the same recordings could come from."""
        correlation, inflation = self.persistence.drawn(random)
        freedom = self.freedom_if(correlation)
        chance = freedom / random.chisquare(freedom)
        apart = chance[-1]
        chance *= inflation / self.persistence.mean_inflation
        return replace(
            self,
            others=self.others * float(chance[0]),
            joints=self.joints * chance[1:-2],
            common=self.common * float(chance[-2]),
            correlation=float(max(1 - (1 - self.correlation) * apart, 0.0)),
            persistence=Persistence.fixed(correlation),
        )


def estimate_between_days(
    residuals: Array, within: Array, groups: Groups, *, fitted: int = 1
) -> BetweenDays:
    """Estimate the component by the method of moments.

    Friction starts from an assumption (10 % between two recordings, as in
    :mod:`dynid.estimation.repeatability`), which counts as four degrees of freedom.

    Args:
        residuals: (R, k) from the mean, or from a regression, of recordings without change.
        within: (R, k, k) covariances within the recordings.
        groups: of the parameters.
        fitted: number of coefficients of the regression for each parameter.
    """
    count = float(len(residuals) - fitted)
    own = np.diagonal(within, axis1=1, axis2=2)
    weight = 1 / (own + _ASSUMED * groups.sizes**2)
    # a recording that weighs much pulls the mean to itself
    left = (1 - weight / weight.sum(axis=0)) * count / (len(residuals) - 1)
    square, noise = weight * residuals**2, weight * own * left
    unit = weight * groups.sizes**2 * left
    bodies = groups.number == 0
    ratio = square[:, bodies].sum() / noise[:, bodies].sum() - 1 if bodies.any() else 0.0
    others = max(float(ratio), 0.0) * count / (count + _ASSUMED_FREEDOM)
    freedom = [count + _ASSUMED_FREEDOM]
    totals = []
    for group in range(1, len(groups.names)):
        mine = groups.number == group
        known = float(unit[:, mine].sum())
        found = float((square - noise)[:, mine].sum()) / known if known > 0 else 0.0
        # parameters of one joint share their causes and are not independent
        free = count * max(int(mine.sum()), 1) / 2
        assumed = _ASSUMED_FREEDOM * _ASSUMED
        totals.append((free * max(found, 0.0) + assumed) / (free + _ASSUMED_FREEDOM))
        freedom.append(free + _ASSUMED_FREEDOM)
    common = _common(residuals, within, groups, np.array(totals), count)
    freedom.append(count + _ASSUMED_FREEDOM)
    joints = np.maximum(np.array(totals) - common, 0.25 * np.array(totals))
    apart, free = _apart(residuals, within, groups, joints, count)
    freedom.append(free)
    return BetweenDays(groups, others, joints, common, np.array(freedom), correlation=1 - apart)


def _common(residuals: Array, within: Array, groups: Groups, totals: Array, count: float) -> float:
    """Return the relative variance that the friction of all joints has together.

    The mean of relative residuals over all friction parameters, each weighted by how well the
    recording shows it.
    """
    friction = np.flatnonzero(groups.sizes > 0)
    if len(totals) < 2 or len(friction) < 2:
        return 0.0
    sizes = groups.sizes[friction]
    shares = totals[groups.number[friction] - 1]
    own = within[:, friction[:, None], friction]
    weights = 1 / (np.diagonal(own, axis1=1, axis2=2) / sizes**2 + _ASSUMED)
    weights /= weights.sum(axis=1, keepdims=True) * sizes
    alone = _variances(own, weights)
    each = (weights * sizes) ** 2
    precise = 1 / (alone + _ASSUMED)
    left = count / len(residuals)
    observed = float(precise @ (residuals[:, friction] * weights).sum(axis=1) ** 2) / left
    expected = float(precise @ (alone + each @ shares))
    known = float(precise @ (1 - each.sum(axis=1)))
    found = max(observed - expected, 0.0) / known if known > 0 else 0.0
    assumed = _ASSUMED_FREEDOM * _COMMON * _ASSUMED
    return (count * found + assumed) / (count + _ASSUMED_FREEDOM)


def _apart(
    residuals: Array, within: Array, groups: Groups, joints: Array, count: float
) -> tuple[float, float]:
    """Return the share of a joint's variance that its parameters do not have in common.

    Pooled over joints, from the differences between the parameters of each, in which nothing that
    they have in common is left; with its degrees of freedom.
    """
    observed, known, free = 0.0, 0.0, 0.0
    left = count / len(residuals)
    for number, share in enumerate(joints, 1):
        mine = np.flatnonzero(groups.number == number)
        if len(mine) < 2:
            continue
        free += count * (len(mine) - 1)
        relative = residuals[:, mine] / groups.sizes[mine]
        own = within[:, mine[:, None], mine] / np.outer(groups.sizes[mine], groups.sizes[mine])
        noise = np.trace(own, axis1=1, axis2=2) - own.sum(axis=(1, 2)) / len(mine)
        whole = share * (len(mine) - 1)
        precise = 1 / (noise + whole)
        squares = np.var(relative, axis=1) * len(mine)
        observed += float(precise @ (squares / left - noise))
        known += float(precise.sum()) * whole
    found = float(np.clip(observed / known, 0.0, 1.0)) if known > 0 else 0.5
    freedom = free + _ASSUMED_FREEDOM
    return (free * found + _ASSUMED_FREEDOM * 0.5) / freedom, freedom


def _variances(covariances: Array, weights: Array) -> Array:
    """Return the variances (R,) of sums with weights (R, m), of covariances (R, m, m)."""
    return np.asarray((weights[:, None] @ covariances @ weights[..., None])[:, 0, 0])
