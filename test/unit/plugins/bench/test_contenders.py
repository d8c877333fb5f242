"""The tools that are compared, each with libraries that may be absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio
import pytest

from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid_plugins.bench.contenders.flobaroid import _body
from dynid_plugins.bench.contenders.interface import FittingTask
from dynid_plugins.bench.contenders.plain_script import PlainScript
from dynid_plugins.bench.evaluation import evaluate_tool, prepare
from dynid_plugins.bench.registry import public_recordings


@pytest.fixture(scope="module")
def task(bench_folder: Path) -> FittingTask:
    return prepare(public_recordings(bench_folder)["swing"], bench_folder)[0]


def test_the_plain_script_has_pinocchios_inverse_dynamics_in_any_order_of_joints() -> None:
    urdf = load_robot("puma560").urdf_xml
    model = pinocchio.buildModelFromXML(urdf)
    names = list(model.names)[1:]
    order = [3, 0, 5, 1, 4, 2]
    arm = PlainScript(urdf, [names[number] for number in order], (0.0, 0.0, -9.81))
    bodies = np.concatenate([inertia.toDynamicParameters() for inertia in model.inertias[1:]])
    arm.parameters = np.concatenate([bodies, np.zeros(4 * len(names))])
    random = np.random.default_rng(0)
    q, dq, ddq = random.normal(size=(3, 5, len(names)))
    data = model.createData()
    expected = np.array([pinocchio.rnea(model, data, *one) for one in zip(q, dq, ddq, strict=True)])
    found = arm.torque(q[:, order], dq[:, order], ddq[:, order])
    assert found == pytest.approx(expected[:, order], rel=1e-9, abs=1e-9)


def test_the_plain_script_takes_joints_without_limits() -> None:
    urdf = load_robot("puma560").urdf_xml
    names, states = ["joint_1", "joint_2"], np.random.default_rng(1).normal(size=(3, 5, 2))
    endless = urdf.replace('type="revolute"', 'type="continuous"')
    assert endless != urdf
    regressors = [
        PlainScript(text, names, (0.0, 0.0, -9.81)).regressor(*states) for text in (urdf, endless)
    ]
    assert regressors[1] == pytest.approx(regressors[0], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("tool", "package"),
    [
        ("shipped", "dynid"),
        ("figaroh", "figaroh"),
        ("flobaroid", "clarabel"),
        ("sysid", "colorama"),  # of the extra sysid of MuJoCo
        ("learned", "sklearn"),
        ("dynid+learned", "sklearn"),
    ],
)
def test_a_tool_predicts_a_simulated_robot(tool: str, package: str, bench_folder: Path) -> None:
    pytest.importorskip(package)
    recording = public_recordings(bench_folder)["swing"]
    found = evaluate_tool("swing", recording, bench_folder, tool)
    assert found.problem == ""
    assert found.held_out < 0.15  # friction at reversals and noise; no torque would be 1


def test_bodies_of_flobaroids_method_are_those_that_can_exist() -> None:
    lower = np.tril_indices(6)

    def smallest_eigenvalue(inertia: pinocchio.Inertia) -> float:
        triangle = -_body(0, 10) @ inertia.toDynamicParameters()
        matrix = np.zeros((6, 6))
        matrix[lower] = triangle / np.where(lower[0] == lower[1], 1.0, np.sqrt(2.0))
        return float(np.linalg.eigvalsh(matrix + np.tril(matrix, -1).T)[0])

    inertia = np.diag([0.3, 0.2, 0.1])
    for centre in np.random.default_rng(0).normal(size=(5, 3)):
        real = pinocchio.Inertia(2.0, centre, inertia)
        # the same first moment and inertia about the origin, with too little mass for them
        light = real.toDynamicParameters() - 1.9 * np.eye(10)[0]
        assert smallest_eigenvalue(real) > 0
        assert smallest_eigenvalue(pinocchio.Inertia.FromDynamicParameters(light)) < 0


def test_a_robot_with_loops_is_refused_by_tools_of_trees(task: FittingTask) -> None:
    loops = FittingTask(load_robot("delta_3"), None, (), (), 10.0)
    with pytest.raises(ConfigurationError, match="no equations of closed chains"):
        loops.refuse_loops()
    task.refuse_loops()


def test_other_tools_get_no_shapes(task: FittingTask) -> None:
    assert "<link" in task.bare_urdf()
    assert "<visual" not in task.bare_urdf()
    assert "<collision" not in task.bare_urdf()
