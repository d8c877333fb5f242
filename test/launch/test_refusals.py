"""Invalid requests end ``ros2 launch`` with one sentence and exit code 1."""

import unittest

import launch_testing
from launched import FOLDER, SHORT, TEMPORARY, exit_code, output_of, ros2_launch, under_test
from simulated_bag import write_simulated_model

BAD = FOLDER / "model.yaml"
BAD.write_text("half: [")
PUMA = write_simulated_model(FOLDER / "puma.yaml", SHORT)

CASES = [
    ("identify", {"recording": "/nonexistent"}, "identifier: /nonexistent: there is no such file"),
    (
        "identify",
        {"hardware": "mock", "ros2_control": "false"},
        "hardware:=mock needs ros2_control, which is not installed or not enabled; without it use "
        "hardware:=simulated.",
    ),
    (
        "identify",
        {"hardware": "ethercat"},
        "hardware ethercat needs a <ros2_control> tag that names ethercat_driver/EthercatDriver",
    ),
    (
        "robot",
        {"hardware": "external", "feedforward": "true"},
        "hardware:=external starts no controllers, so feedforward:=true has no effect; use",
    ),
    (
        "identify",
        {"namespace": "left"},
        "namespace:= is for a robot whose driver already runs, and needs hardware:=external.",
    ),
    ("robot", {"robot": "nobody"}, "nobody"),
    ("control", {"model": "/nonexistent.yaml"}, "/nonexistent.yaml: there is no such file."),
    ("control", {"model": BAD}, "model.yaml: is not valid YAML at line "),
    ("control", {"robot": "ur10e", "model": PUMA}, "is of robot 'puma560', this is 'ur10e'"),
    (
        "replay",
        {"recording": "/nonexistent"},
        "dynid: /nonexistent: there is no such file or folder.",
    ),
    # the motion takes place, but there is no torque to identify from
    (
        "identify",
        {"hardware": "mock", "excitation": SHORT, "validation_seed": -1},
        "the effort of every joint is always zero; the source must measure it.",
    ),
]


@launch_testing.parametrize("file, arguments, sentence", CASES)
def generate_test_description(file, arguments, sentence):
    output = FOLDER / str(CASES.index((file, arguments, sentence)))
    given = arguments if file in ("robot", "control") else {**arguments, "output": output}
    return under_test(ros2_launch(file, **given), sentence=sentence, output=output)


class Refusals(unittest.TestCase):
    def test_it_ends_with_the_sentence(self, proc_info, proc_output, process, sentence):
        code = exit_code(proc_info, process)
        assert sentence in output_of(proc_output, process)
        assert code == 1

    def test_no_parameter_files_are_left(self, proc_info, process):
        exit_code(proc_info, process)
        assert not list(TEMPORARY.glob("launch_params_*"))

    def test_there_is_no_model(self, proc_info, process, output):
        exit_code(proc_info, process)
        assert not (output / "model.yaml").exists()
