"""``ros2 launch dynid replay.launch.py``: a replayed bag gives the model of the bag."""

import unittest

from launched import FOLDER, SHORT, exit_code, output_of, ros2_launch, under_test
from simulated_bag import write_simulated_bag

from dynid.profile import load_model


def generate_test_description():
    bag = write_simulated_bag(FOLDER / "bag", SHORT)
    output = FOLDER / "out"
    return under_test(ros2_launch("replay", recording=bag, output=output), output=output)


class Replay(unittest.TestCase):
    def test_it_ends_by_itself_with_exit_code_0(self, proc_info, proc_output, process):
        assert exit_code(proc_info, process) == 0, output_of(proc_output, process)

    def test_both_models_are_there(self, proc_info, process, output):
        exit_code(proc_info, process)
        for path in (output / "model.yaml", output / "from_bag" / "model.yaml"):
            assert load_model(path).provenance.status == "success"
