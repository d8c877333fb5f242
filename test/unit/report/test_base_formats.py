"""Base parameters in files: values read back give the same results."""

from __future__ import annotations

import re

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from matplotlib.mathtext import MathTextParser
from support.random_mechanisms import RandomTree, random_trees

from dynid.dynamics.base_parameters import BaseTable, base_parameterization, base_table
from dynid.dynamics.mechanism import Mechanism
from dynid.profile import load_robot
from dynid.report.terminal.model import base_latex, base_text, base_yaml


def table_of(mechanism: Mechanism, **deviations: float) -> BaseTable:
    base = base_parameterization(mechanism)
    return base_table(mechanism, base, "robot", "of a test.", deviations)


@pytest.fixture(scope="module")
def puma() -> BaseTable:
    robot = load_robot("puma560")
    return table_of(robot.mechanism(), ZZ1R=0.125)


@given(random_trees(kinds=("viscous", "coulomb", "rotor_inertia", "offset")))
@settings(max_examples=8)
def test_yaml_read_back_gives_base_parameters_and_roles_of_standard_ones(tree: RandomTree) -> None:
    mechanism = tree.mechanism()
    content = yaml.safe_load(base_yaml(table_of(mechanism)))
    standard = {entry["name"]: entry["value"] for entry in content["standard_parameters"]}
    assert list(standard.values()) == mechanism.parameters.tolist()
    for entry in content["base_parameters"]:
        terms = [factor * standard[name] for name, factor in entry["coefficients"].items()]
        size = np.abs(terms).sum()
        assert entry["value"] == pytest.approx(sum(terms), rel=0, abs=1e-14 * (1 + size))
    roles = {entry["name"]: entry["role"] for entry in content["standard_parameters"]}
    used = {name for entry in content["base_parameters"] for name in entry["coefficients"]}
    leads = {next(iter(entry["coefficients"])) for entry in content["base_parameters"]}
    assert {name for name, role in roles.items() if role == "leads"} == leads
    assert {name for name, role in roles.items() if role != "without effect"} == used


def test_names_are_those_of_the_identification_report(puma: BaseTable) -> None:
    mechanism = load_robot("puma560").mechanism()
    names = [row.name for row in puma.rows]
    assert tuple(names) == base_parameterization(mechanism).names
    assert puma.names == mechanism.parameter_names
    assert names[:4] == ["ZZ1R", "MX2R", "MY2", "XX2R"]
    assert {"Fv3", "Fc3", "Ia3"} < set(names)


def test_text_has_relation_value_unit_and_standard_deviation(puma: BaseTable) -> None:
    lines = base_text(puma).splitlines()
    first = next(line for line in lines if line.startswith("ZZ1R"))
    assert "kg*m^2" in first
    assert "± 0.12" in first
    assert "= ZZ1 + 0.0592922 M2 + 0.487 MZ2 + YY2" in first
    body = next(line for line in lines if line.startswith("2 joint_2"))
    assert body.split()[2:4] == ["17.4", "r"]
    assert any(line.startswith("1 joint_1") and "13 –" in line for line in lines)


def test_latex_has_as_many_cells_in_each_row_and_closes_what_it_opens(puma: BaseTable) -> None:
    text = base_latex(puma)
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0
    begin, end = text.index(r"\begin{longtable}"), text.index(r"\end{longtable}")
    rows = text[begin:end].split(r"\endhead")[1].strip().splitlines()
    assert len(rows) == len(puma.rows)
    assert all(row.count(" & ") == 3 and row.endswith(r" \\") for row in rows)
    assert r"$\mathit{MX}_{2R}$" in text
    (first,) = [row for row in rows if r"\mathit{ZZ}_{1R}" in row.split(" & ")[0]]
    assert r" \pm 0.12$" in first
    assert r"0.4318\, \mathit{M}_{3}" in text


def test_every_formula_of_the_latex_is_one_that_tex_can_set(puma: BaseTable) -> None:
    formulas = re.findall(r"\$(.*?)\$", base_latex(puma))
    assert len(formulas) == 4 * len(puma.rows)
    for formula in set(formulas):
        MathTextParser("path").parse(f"${formula}$")
