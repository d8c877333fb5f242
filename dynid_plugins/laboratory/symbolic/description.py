"""The description of a model at the head of generated code."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dynid import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.base_table import BaseTable
    from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

WIDTH = 100
"""Characters per line."""


def description(formulas: Formulas, table: BaseTable, provenance: Sequence[str]) -> list[str]:
    """Return the lines of a comment: robot, provenance, joints, and base parameters ``b``.

    Args:
        formulas: of the model.
        table: of its base parameters.
        provenance: further lines.
    """
    mechanism = formulas.mechanism
    joints = [
        f"  {number} {joint} [{'m, N' if slides else 'rad, N m'}]"
        for number, (joint, slides) in enumerate(
            zip(mechanism.joints, mechanism.prismatic, strict=True)
        )
    ]
    gravity = ", ".join(f"{value:g}" for value in mechanism.gravity)
    return _folded(
        [
            f"Minimal inverse dynamic model of {table.robot}, by dynid {_core.version}.",
            f"Values: {table.origin}",
            *provenance,
            "",
            "SI units, at the joints. Joints, in the order of all arrays:",
            *joints,
            f"Gravity [m/s^2] in the frame of the root link: {gravity}",
            "",
            "Base parameters b, with the standard parameters regrouped in each (R):",
            *(
                f"  b[{k}] {row.name} [{row.unit}] = {row.relation()}"
                for k, row in enumerate(table.rows)
            ),
        ]
    )


def _folded(lines: list[str]) -> list[str]:
    """Return lines wrapped to the width of a comment, continuation lines indented."""
    folded = [textwrap.wrap(line, WIDTH - 3, subsequent_indent=" " * 6) for line in lines]
    return [part for parts in folded for part in (parts or [""])]
