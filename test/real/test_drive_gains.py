"""Torque constants of a real robot's drives from its currents and a payload of known mass."""

from __future__ import annotations

import numpy as np
import pytest
from support.real_recordings import UR10E, needs
from support.representatives import representatives

from dynid.identification.drive_gains.identification import identify_drive_gains
from dynid.identification.drive_gains.known_payload import KnownPayload
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording

# no constant is given; the results are compared with the ratio of the manufacturer's own torque and
# current
ROBOT = load_robot("ur10e", overrides=["drives.torque_constant=1.0"])
MANUFACTURER = np.array([11.85, 11.976, 9.839, 10.762, 10.756, 10.67])
PAYLOAD = KnownPayload(2.805)


@needs(UR10E)
@pytest.mark.parametrize(
    ("unloaded", "loaded"),
    representatives(
        [
            ("ur-20_01_31-unload", "ur-20_01_31-load"),
            ("ur-20_02_19_14harm50sec", "ur-20_02_19_14harm50secLoad"),
        ],
        1,
    ),
)
def test_constants_are_near_those_of_the_manufacturer(unloaded: str, loaded: str) -> None:
    without, with_it = (load_recording(UR10E / f"{n}.csv", ROBOT) for n in (unloaded, loaded))
    gains = identify_drive_gains(ROBOT, [without], [with_it], PAYLOAD)
    assert gains.success
    assert gains.consistent is not None
    for constants in (gains.fitted, gains.consistent):
        # the first joint feels no weight, only what the payload's inertia adds
        assert (
            abs(constants[0] / MANUFACTURER[0] - 1)
            < 3 * gains.standard_deviations[0] / constants[0]
        )
        assert np.allclose(constants[1:3] / MANUFACTURER[1:3], 1.0, atol=0.06)
        assert np.allclose(constants[3:] / MANUFACTURER[3:], 1.0, atol=0.08)
