"""Sensitivities of a simulated loop's output: differences, and their updates."""

from types import SimpleNamespace

import numpy as np
import pytest

from dynid.errors import EstimationError
from dynid.estimation.work import Rest, Work
from dynid_plugins.laboratory.closed_loop import output_error
from dynid_plugins.laboratory.closed_loop.output_error import OutputError


class LinearLoop(OutputError):  # noqa: N818  not an exception
    """Errors (m, 2) linear in two parameters, of a robot without inertia beyond ``bound``."""

    def __init__(self, bound: float = np.inf) -> None:
        random = np.random.default_rng(0)
        jacobian = random.normal(size=(5, 2, 2))
        problem = SimpleNamespace(
            base=SimpleNamespace(independent=np.array([0, 1])),
            mechanism=SimpleNamespace(parameter_names=("Ixx1", "m2")),
        )
        values = {"problem": problem, "counted": (np.ones((5, 2)),), "jacobian": jacobian}
        for name, value in {**values, "bound": bound}.items():
            object.__setattr__(self, name, value)

    def errors(self, standard: np.ndarray) -> list[np.ndarray]:
        if np.abs(standard).max() > self.bound:
            raise EstimationError("the mass matrix is not positive definite.")
        return [-self.jacobian @ standard]


def point_of(output: LinearLoop, values: np.ndarray) -> output_error._Point:
    return output_error._Point(values, values, output.errors(values))


def test_an_updated_linearisation_predicts_the_step_from_which_it_was_updated() -> None:
    output, steps = LinearLoop(), np.array([0.1, 0.5])
    before, after = (point_of(output, np.array(values)) for values in ([0.2, 0.1], [0.3, -0.2]))
    wrong = output_error._summed(output, [np.zeros((5, 2, 2))], before, before.base)

    updated = output_error._updated(output, wrong, before, after, steps)

    predicted = before.errors[0] - updated.jacobian[0] @ (after.base - before.base)
    np.testing.assert_allclose(predicted, after.errors[0], atol=1e-12)
    np.testing.assert_array_equal(updated.differenced, before.base)


def test_differences_of_a_parameter_near_its_bound_take_a_smaller_step() -> None:
    output = LinearLoop(bound=0.02)
    point, everything = point_of(output, np.zeros(2)), np.ones(2, dtype=bool)

    found = output_error._linearised(output, point, np.full(2, 0.1), everything, Rest(Work()))

    np.testing.assert_allclose(found.jacobian[0], output.jacobian, atol=1e-12)


def test_names_the_parameter_that_can_be_made_neither_larger_nor_smaller() -> None:
    output = LinearLoop(bound=0.0)
    point = point_of(output, np.zeros(2))

    with pytest.raises(EstimationError, match=r"'Ixx1'.*mass matrix.*'rotor_inertia'.*'terms'"):
        output_error._shifted_errors(output, point, 0, 0.1)
