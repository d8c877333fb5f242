"""What a motion covers, of motions whose coverage is known."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.prediction.coverage import joint_coverage
from dynid.excitation.prediction.prediction import predicted_signals
from dynid.excitation.ramp import Ramp
from dynid.excitation.sine import SineExcitation
from dynid.robot.limits import Limits

URDF = """
<robot name="slides">
  <link name="base"/><link name="x"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="y"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="x"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" velocity="9" effort="9"/></joint>
  <joint name="y" type="prismatic"><parent link="x"/><child link="y"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="9" effort="9"/></joint>
</robot>
"""
LIMITS = Limits(position=((-2.0, 2.0),), velocity=(4.0,), acceleration=(20.0,))


def covered(excitation, limits=LIMITS):
    mechanism = Mechanism(URDF, ("x", "y"))
    return joint_coverage(predicted_signals(excitation, mechanism, 1000.0), limits)


def sines(frequency, target=(1.0, 1.0), duration=10.0):
    start = np.array([-1.0, -1.0])
    return SineExcitation(start, np.array(target), np.array(frequency), Ramp(0.0, duration))


def test_a_sine_covers_what_its_amplitude_and_frequency_say():
    slow, fast = covered(sines((0.5, 1.0)))
    assert (slow.lowest, slow.highest) == pytest.approx((-1.0, 1.0))
    assert slow.range_share == pytest.approx(0.5)
    assert slow.bin_share == pytest.approx(0.6)  # from the middle of the third bin to the eighth
    assert slow.peak_velocity == pytest.approx(np.pi, rel=1e-5)
    assert fast.velocity_share == pytest.approx(2 * np.pi / 4, rel=1e-5)
    assert fast.acceleration_share == pytest.approx(4 * np.pi**2 / 20, rel=1e-5)
    assert (slow.cycles, fast.cycles) == (5, 10)
    assert slow.moving_share == pytest.approx(1 - 2 * np.arcsin(0.03) / np.pi, abs=2e-3)


def test_joints_that_move_together_visit_few_pairs_of_bins():
    together, last = covered(sines((0.5, 0.5)))
    apart, _ = covered(sines((0.5, 0.05 * np.sqrt(7)), duration=200.0))
    assert together.pair_share == pytest.approx(0.06)
    assert apart.pair_share == pytest.approx(0.36)
    assert last.pair_share is None


def test_a_joint_that_rests_has_no_cycles():
    moving, resting = covered(sines((0.5, 0.5), target=(1.0, -1.0)))
    assert moving.cycles == 5
    assert (resting.cycles, resting.moving_share, resting.range_share) == (0, 0, 0)


def test_without_limits_there_are_no_shares():
    one, _ = covered(sines((0.5, 1.0)), Limits())
    shares = (one.range_share, one.bin_share, one.pair_share, one.velocity_share)
    assert shares == (None,) * 4
    assert one.acceleration_share is None
    assert one.cycles == 5
