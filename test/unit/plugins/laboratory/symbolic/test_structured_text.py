"""Generated structured text, executed by an interpreter, against the core."""

from __future__ import annotations

import numpy as np
import pytest
from support.coded_robots import RANDOM_TREE, coded_motion, coded_robot
from support.representatives import representatives
from support.structured_text import FunctionBlock

from dynid.dynamics.base_parameters import base_table
from dynid.errors import WriteError
from dynid_plugins.laboratory.symbolic.c_code import Number
from dynid_plugins.laboratory.symbolic.minimal_model import Formulas
from dynid_plugins.laboratory.symbolic.structured_text import function_block, st_name

ROBOTS = [
    *("so101", RANDOM_TREE, "puma560", "axis_linear_spring", "scara_coupled"),
    *("scara", "ur10", "tx40", "widowx_ai", "yumi_arm"),
]
ACCURACY = 1e-9


def written(formulas: Formulas, name: str = "arm", number: Number = "double") -> str:
    table = base_table(formulas.mechanism, formulas.base, f"{name} *) (* robot", "measured.")
    return function_block(formulas, name, table, ["Recording: day.mcap"], number=number)


@pytest.mark.parametrize("robot", representatives(ROBOTS, 1))
def test_a_function_block_computes_what_the_core_does(robot: str) -> None:
    formulas = coded_robot(robot)
    block = FunctionBlock(written(formulas))
    (q, dq, ddq), wanted = coded_motion(formulas)
    outputs = block.execute({"q": q, "dq": dq, "ddq": ddq})
    assert outputs.keys() == wanted.keys()
    size = ACCURACY * np.abs(wanted["tau"]).max()
    for name, values in wanted.items():
        np.testing.assert_allclose(outputs[name], values, rtol=0, atol=size, err_msg=name)
    if robot != RANDOM_TREE:  # its base parameters of redundant friction hold in motion only
        resting = block.execute({"q": q, "dq": 0.0 * dq, "ddq": ddq})
        torque = formulas.mechanism.inverse_dynamics(q, 0.0 * dq, ddq)
        np.testing.assert_allclose(resting["tau"], torque, rtol=0, atol=size)


@pytest.mark.parametrize(
    ("speed", "robot"),
    representatives([(1e3, "so101"), (1e4, RANDOM_TREE)], 1),
)
def test_no_function_leaves_its_range_at_any_speed(speed: float, robot: str) -> None:
    formulas = coded_robot(robot)
    block = FunctionBlock(written(formulas))
    dq = np.full((1, len(formulas.mechanism.joints)), speed)
    still = np.zeros_like(dq)
    with np.errstate(all="raise"):
        found = block.execute({"q": still, "dq": dq, "ddq": still})["tau"]
    wanted = formulas.mechanism.inverse_dynamics(still, dq, still)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=ACCURACY * np.abs(wanted).max())


@pytest.mark.thorough
@pytest.mark.parametrize("number", ["double", "float"])
def test_a_parser_of_twincat_accepts_it(number: Number) -> None:
    parse = pytest.importorskip("blark.parse", reason="blark (pip install blark) is not installed")
    parsed = parse.parse_source_code(written(coded_robot("scara"), number=number))
    assert parsed.exception is None
    assert parsed.transform().items[0].name == "arm_inverse_dynamics"


def test_single_precision_has_numbers_of_that_type_alone() -> None:
    text = written(coded_robot("scara"), number="float")
    assert " REAL;" in text
    assert "LREAL" not in text
    FunctionBlock(text)


def test_its_head_has_joints_units_and_recordings_within_one_comment() -> None:
    text = written(coded_robot("scara"), "scara")
    about, _, code = text.partition("*)")
    assert "2 joint_3 [m, N]" in about
    assert "Recording: day.mcap" in about
    assert code.lstrip().startswith("FUNCTION_BLOCK scara_inverse_dynamics")
    assert max(map(len, text.splitlines())) <= 100


def test_an_invalid_name_of_a_function_block_is_refused() -> None:
    assert st_name("ur10_e") == "ur10_e"
    for name in ("ur 10", "3r", "", "a__b", "a_", "A"):
        with pytest.raises(WriteError, match="--name"):
            st_name(name)
