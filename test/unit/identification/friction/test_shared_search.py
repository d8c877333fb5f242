"""One search of shapes for all parts of a cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
from support.rubbing_arm import problem_of, relative, rubbing

from dynid.identification.friction.candidates import MotionScales, candidate
from dynid.identification.friction.shared_search import SharedProjection, search_shapes
from dynid.identification.friction.variable_projection import Projection, fit_at

MOTION = MotionScales(speed=3.0, travel=2.0, loaded=True)
STOP = {"kind": "presliding", "scale": 0.03, "joints": ["elbow"]}


def test_every_part_agrees_with_a_projection_of_its_own() -> None:
    problem = problem_of(rubbing(STOP, samples=500, Fh2=1.5), joint=1)
    model, shapes = candidate("viscous + tanh + 1 stop", MOTION), {"smoothing": 0.1}
    shapes["distance"] = 0.02
    found = SharedProjection(problem, np.arange(3)).solve(model, shapes)
    for part, folds in enumerate(([0, 1, 2], [1, 2], [0, 2], [0, 1])):
        alone = fit_at(Projection(problem, folds), model, shapes)
        np.testing.assert_allclose(found[part].friction, alone.friction, rtol=1e-6)
        np.testing.assert_allclose(found[part].others, alone.others, rtol=1e-5, atol=1e-7)
        assert found[part].squared_error == pytest.approx(alone.squared_error, rel=1e-6)


def test_blocks_of_a_fold_are_held_out_together() -> None:
    problem = problem_of(rubbing(samples=500, seeds=(0, 1, 2, 3)), joint=0)
    model = candidate("viscous + tanh", MOTION)
    together = SharedProjection(problem, np.array([0, 0, 1, 1])).solve(model, {"smoothing": 0.1})
    alone = fit_at(Projection(problem, [2, 3]), model, {"smoothing": 0.1})
    np.testing.assert_allclose(together[1].friction, alone.friction, rtol=1e-6)


def test_each_part_has_the_best_of_the_shapes_tried() -> None:
    problem = problem_of(rubbing(STOP, samples=800, Fh2=1.5), joint=1)
    projection = SharedProjection(problem, np.arange(3))
    model = candidate("viscous + tanh + 1 stop", MOTION)
    found = search_shapes(projection, model, [])
    assert relative(found[0].shapes["distance"], 0.03) < 0.2
    for part, fit in enumerate(found):
        for other in found:
            again = projection.solve(model, other.shapes)[part]
            assert fit.squared_error <= again.squared_error * (1 + 1e-9)


def test_a_contact_is_no_longer_than_presliding_can_be() -> None:
    model = candidate("viscous + 2 stops", MOTION)
    terms = model.terms({"distance": 0.05, "ratio": 30.0})
    assert max(term.scale for term in terms) == pytest.approx(0.03 * MOTION.travel)
