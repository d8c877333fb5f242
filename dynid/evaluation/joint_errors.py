"""Torque errors of a model at one joint."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Literal

from dynid.json_text import Figure

JointState = Literal["good", "poor", "noise", "at_rest", "not_moved"]
UseName = Literal["feedforward", "gravity", "collision", "simulation", "payload"]


@dataclass(frozen=True)
class JointUse:
    """What a joint's model achieves for one use.

    Attributes:
        use: what it is used for; ``gravity`` is compensation of gravity at rest.
        serves: whether it is accurate enough; None: not rated, such as at rest.
        error: what the criterion of the use rates, as a fraction.
        limit: the largest error that serves.
        reason: what the error means, in a clause.
    """

    use: UseName
    serves: bool | None
    error: Figure
    limit: Figure
    reason: str


@dataclass(frozen=True)
class JointErrors:
    """Torque error, model minus measured, of one joint; relative errors are fractions.

    Attributes:
        rmse: root mean square error in the unit of the recorded effort (``unit``).
        rmse_torque: the same as torque [N m] or force [N].
        rmse_raw: the same as rmse_torque for unfiltered torque [N m or N].
        nrmse: rmse over the range (max - min) of the measured torque; this and ``r_squared`` are
            NaN where the torque has no variation beyond its noise.
        relative_error: norm of the error over norm of the measured torque.
        max_relative_torque_error, mean_relative_torque_error: error over the largest absolute
            measured torque, on moving samples (softMC).
        largest_error_time: of that largest error, from the start of its recording [s].
        largest_error_recording: number of that recording, from 1.
        held_out_error: relative error on data not used in the fit, at least that of the model;
            of a validation: ``relative_error``; of a joint at rest: the error that static friction
            does not explain.
        noise_share: rms of the noise that is left in the filtered torque over rms of the torque.
        unexplained_error: ``held_out_error`` without noise; NaN if there is hardly more than noise.
        plain_error: ``held_out_error`` with plain friction only; NaN if not computed.
        urdf_error: ``relative_error`` with the masses of the URDF and joint terms fitted to them;
            NaN if not known.
        detectable_torque: that 99.9 % of the torque errors do not exceed [N m or N].
        detectable_share: the same over the joint's largest torque: ``limits.torque_max``, or the
            largest one measured.
        static_friction: torque by which friction can hold the joint at rest, to either side
            [N m or N]; NaN: not known. The torque of a model at rest is this much undetermined.
        moving_error: error over torque on the samples in motion, both rms.
        rest_rmse: rms of the torque error at rest [N m or N].
        rest_error: the same beyond static friction, over rms of the torque.
        rest_error_share: of the squared torque error, at rest.
        rest_share: of the samples, at rest.
        constant_error: relative error of the best constant torque.
        explained_variance: share of the variance about its mean that the model explains on unseen
            data, both without noise; NaN: the torque is constant except for noise.
        explained_variance_uncertainty: its standard deviation, from blocks of time.
        payload_share: two standard deviations of the held-out error over the largest torque.
        moving_interval, resting_interval: half-width of the interval that contains the torque of
            95 % of the samples in motion and at rest, on unseen data [N m or N].
        coverage: share of the samples within the interval of the model; NaN: of the fitted ones.
        state: ``good`` and ``poor``: rated; ``noise``: there is nothing but noise to explain;
            ``at_rest``: only torque at rest is rated; ``not_moved``: no motion in the recordings,
            so it was not identified.
        uses: what the model serves for, and why.
        feedforward, collision: whether the model serves this use; None: not rated.
    """

    joint: str
    unit: str
    rmse: Figure
    rmse_torque: Figure
    rmse_raw: Figure
    nrmse: Figure
    relative_error: Figure
    r_squared: Figure
    max_relative_torque_error: Figure
    mean_relative_torque_error: Figure
    samples: int
    moving_samples: int
    velocity_threshold: Figure
    largest_error_time: Figure = nan
    largest_error_recording: int = 1
    held_out_error: Figure = nan
    noise_share: Figure = nan
    unexplained_error: Figure = nan
    plain_error: Figure = nan
    urdf_error: Figure = nan
    detectable_torque: Figure = nan
    detectable_share: Figure = nan
    static_friction: Figure = nan
    moving_error: Figure = nan
    rest_rmse: Figure = nan
    rest_error: Figure = nan
    rest_error_share: Figure = nan
    rest_share: Figure = nan
    constant_error: Figure = nan
    explained_variance: Figure = nan
    explained_variance_uncertainty: Figure = nan
    payload_share: Figure = nan
    moving_interval: Figure = nan
    resting_interval: Figure = nan
    coverage: Figure = nan
    state: JointState = "good"
    uses: tuple[JointUse, ...] = ()
    feedforward: bool | None = None
    collision: bool | None = None
    sliding: bool = False
    of_several: bool = False

    @property
    def errors_in_motion(self) -> tuple[float, float]:
        """Largest and mean error over the largest torque; NaN of a joint that does not move."""
        if self.moving_samples == 0:
            return nan, nan
        return self.max_relative_torque_error, self.mean_relative_torque_error
