"""What an excitation will tell about a robot, known before it is played."""

from dynid.expectation.expectation import Expectation, expect
from dynid.expectation.expectation_json import expectation_json
from dynid.expectation.picture import write_picture
from dynid.expectation.report import write_expectation_report
from dynid.expectation.table import print_expectation

__all__ = [
    "Expectation",
    "expect",
    "expectation_json",
    "print_expectation",
    "write_expectation_report",
    "write_picture",
]
