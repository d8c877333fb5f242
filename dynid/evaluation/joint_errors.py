"""Torque errors of a model at one joint."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from dynid.json_text import Figure


@dataclass(frozen=True)
class JointErrors:
    """Torque error, model minus measured, of one joint; relative errors are fractions.

    Attributes:
        rmse: root mean square error in the unit of the recorded effort (``unit``).
        rmse_torque: the same as torque [N m] or force [N].
        rmse_raw: the same as rmse_torque for unfiltered torque [N m or N].
        nrmse: rmse over the range (max - min) of the measured torque.
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
        urdf_error: ``relative_error`` with the masses of the URDF and the model's joint terms; NaN
            if not computed.
        detectable_torque: that 99.9 % of the torque errors do not exceed [N m or N].
        detectable_share: the same over the joint's largest torque: ``limits.torque_max``, or the
            largest one measured.
        static_friction: torque by which friction can hold a joint that does not move, to either
            side [N m or N]; NaN: it moves, or has to.
        feedforward, collision: whether the model serves this use; None: not rated, because there
            is nothing but noise to explain.
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
    feedforward: bool | None = None
    collision: bool | None = None
    sliding: bool = False
    of_several: bool = False
