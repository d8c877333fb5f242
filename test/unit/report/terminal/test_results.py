from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
from rich.console import Console

from dynid.recording.convert import write_bag
from dynid.recording.info import describe
from dynid.recording.model import Recording
from dynid.report.card import Card
from dynid.report.diagnosis import print_finding
from dynid.report.terminal.results import print_identification, print_recording_info, print_verdict


def printed(function, *arguments, **keywords) -> str:
    """What is printed to a pipe."""
    console = Console(file=StringIO(), width=80)
    function(console, *arguments, **keywords)
    return console.file.getvalue()


def test_a_pipe_gets_plain_lines_of_at_most_a_hundred_columns(identification):
    text = printed(print_identification, identification)
    assert "\x1b" not in text
    sentences = ("  - ", "The model ", *Card.of(identification).uses)
    tables = [line for line in text.splitlines() if not line.startswith(sentences)]
    assert max(map(len, tables[2:])) <= 100
    for joint in ("shoulder", "elbow & co", "lift"):
        assert any(line.startswith(joint) for line in text.splitlines())
    assert text.splitlines()[-2] == "Succeeded."
    assert text.splitlines()[-1].startswith("Next: dynid ")


def test_terms_of_one_kind_at_one_joint_are_summed(identification):
    named = dict(
        zip(
            identification.model.parameter_names,
            identification.model.parameters,
            strict=True,
        )
    )
    total = sum(value for name, value in named.items() if name.startswith("Fh1"))
    lines = printed(print_identification, identification).splitlines()
    head = next(number for number, line in enumerate(lines) if "Σ Fh" in line)
    assert lines[head + 1].split()[-1] == f"{total:.3g}"


def test_sentences_stay_whole_in_a_pipe(failed):
    long = "joint 'lift': " + "a very long reason " * 10 + "indeed."
    verdict = replace(failed.verdict, reasons=(long,))
    assert f"  - {long}" in printed(print_verdict, Card(verdict, "", "")).splitlines()


def test_square_brackets_in_names_are_not_markup(identification):
    joints = identification.verdict.joints
    joints = (replace(joints[0], joint="[red]arm[/red]"), *joints[1:])
    verdict = replace(identification.verdict, joints=joints, warnings=("[/b] is fine",))
    text = printed(print_verdict, Card(verdict, "", ""), notes=("[/i] as well",))
    assert "[red]arm[/red]" in text
    assert "[/b] is fine" in text
    assert "[/i] as well" in text


def test_held_out_errors_are_shown_where_known(identification):
    card = Card.of(identification)
    with_them = printed(print_verdict, card, held_out=identification.held_out)
    assert "held out" in with_them
    assert "8.00 %" in with_them
    assert "held out" not in printed(print_verdict, card)


def test_a_failed_verdict_has_its_reasons(failed):
    text = printed(print_verdict, Card.of(failed))
    assert "Failed because:" in text
    assert text.splitlines()[-1] == "Failed."


def test_a_remedy_names_the_option_that_does_the_same():
    text = printed(print_finding, "unsigned_effort", "problem", "No signs.", "Set it.")
    assert text.splitlines()[0] == "problem, unsigned effort:"
    assert "Set it. For one run: dynid identify … --unsigned-torque." in text


def test_nothing_is_printed_where_only_json_is_wanted(identification):
    console = Console(file=StringIO(), quiet=True)
    print_identification(console, identification)
    assert console.file.getvalue() == ""


def test_a_recording_is_described(tmp_path):
    time = np.arange(200) / 100
    values = np.sin(np.outer(time, [1.0, 2.0]))
    write_bag(
        Recording(
            time, values, values, velocity=values, joint_names=("a", "[b]"), sampling_rate=100.0
        ),
        tmp_path / "bag",
    )
    text = printed(print_recording_info, describe(tmp_path / "bag"))
    for expected in ("bag: rosbag2 mcap", "/joint_states (read)", "200 samples in 1.990 s", "[b]"):
        assert expected in text


def test_a_table_without_a_column_map_is_described(tmp_path):
    (tmp_path / "log.csv").write_text("t,q\n" + "".join(f"{i},{i}\n" for i in range(20)))
    text = printed(print_recording_info, describe(tmp_path / "log.csv"))
    assert "20 rows, 2 columns" in text


def test_a_recording_that_cannot_be_used_has_the_reason(tmp_path):
    time = np.arange(200) / 100
    zero = np.zeros((200, 1))
    recording = Recording(
        time, np.sin(time)[:, None], zero, joint_names=("a",), sampling_rate=100.0
    )
    write_bag(recording, tmp_path / "bag")
    text = printed(print_recording_info, describe(tmp_path / "bag"))
    assert "Cannot be used:" in text
    assert "effort of every joint is always zero" in " ".join(text.split())
