"""``ros2 launch dynid identify.launch.py`` beside eight busy processes, with its own defaults."""

import unittest
from pathlib import Path

import launch_testing
from launched import FOLDER, busy_processes, exit_code, output_of, ros2_launch, under_test

from dynid.profile import load_model, load_robot
from dynid.simulation.settings import SimulationSettings

MOTION = Path(__file__).with_name("busy_excitation.yaml")


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    output = FOLDER / ros2_control
    process = ros2_launch(
        "identify", ros2_control=ros2_control, excitation=MOTION, output=output, validation_seed=72
    )
    return under_test(process, *busy_processes(), output=output)


class BusyIdentify(unittest.TestCase):
    def test_it_ends_by_itself_with_a_good_model(self, proc_info, proc_output, process, output):
        code, text = exit_code(proc_info, process), output_of(proc_output, process)
        assert code == 0, text
        assert load_model(output / "model.yaml").provenance.status == "success"
        # with its validation, or with the reason why there is none
        assert (output / "validation.html").is_file()
        validated = (output / "validation.mcap").is_file()
        assert validated != ("was not validated on a second motion" in text), text

    def test_the_model_is_that_of_the_robot(self, proc_info, proc_output, process, output):
        exit_code(proc_info, process)
        model = load_model(output / "model.yaml")
        found = dict(zip(model.parameter_names, model.parameters, strict=True))
        truth = load_robot("puma560").find(SimulationSettings).parameters
        for joint in range(1, 7):
            wanted, got = (of[f"Fc{joint}"] + of[f"Fv{joint}"] for of in (truth, found))
            assert abs(got / wanted - 1.0) < 0.1, (joint, got, wanted)

    def test_the_recorder_states_what_is_missing_and_where_it_was_lost(
        self, proc_info, proc_output, process
    ):
        exit_code(proc_info, process)
        text = output_of(proc_output, process)
        assert "messages in " in text
        for line in text.splitlines():
            if "messages on /joint_states are missing" in line:
                assert "not sent by the publisher" in line or "lost between" in line
