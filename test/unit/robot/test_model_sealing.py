"""``dynid model seal``: an intended edit by hand is checked, recorded and sealed; nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.stored_models import model_entries
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import ModelFileError
from dynid.estimation.physical import reference_parameters
from dynid.profile import load_model, make_robot
from dynid.robot.model import Model
from dynid.robot.model_file import confirm_edit

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
MADE_BY_SEALING = re.compile(
    rf'^# Edited by hand, confirmed {TIME}: .*\r?\n|^ *edited_at: "{TIME}"\r?\n', re.MULTILINE
)


@pytest.fixture(scope="module")
def possible(identification) -> Model:
    """A physically consistent model."""
    model = identification.model
    values = reference_parameters(model.mechanism)
    values[model.mechanism.first_term :] = np.abs(model.parameters[model.mechanism.first_term :])
    return replace(model, mechanism=model.mechanism.with_parameters(values))


@pytest.fixture
def good(possible, tmp_path) -> Path:
    path = tmp_path / "model.yaml"
    possible.save(path)
    return path


def edit(path: Path, pattern: str, new: str) -> None:
    """As with an editor: one place of the text, in bytes."""
    text = path.read_bytes().decode()
    changed, count = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
    assert count == 1
    assert changed != text
    path.write_bytes(changed.encode())


def heavier(path: Path) -> None:
    """The first body's mass, which is the first parameter, half a kilogram more."""
    mass = model_entries(path.read_bytes())["parameters"][0]
    edit(path, r"^( +parameters:\r?\n +- )\S+", rf"\g<1>{mass + 0.5!r}")


def without_marks(path: Path) -> str:
    """The text less what sealing is allowed to change."""
    text = MADE_BY_SEALING.sub("", path.read_bytes().decode())
    return re.sub(r'^( *sha256: ")\w{64}', r"\1", text, flags=re.MULTILINE)


def test_an_edit_is_confirmed_and_nothing_else_of_the_file_changes(good):
    heavier(good)
    edited = without_marks(good)
    mass = model_entries(good.read_bytes())["parameters"][0]
    with pytest.raises(ModelFileError, match=r"edit with 'dynid model seal'\.$"):
        load_model(good)
    before = model_entries(good.read_bytes())["sha256"]
    found = confirm_edit(good, make_robot)
    assert found.changed
    assert (found.before, found.after) == (before, model_entries(good.read_bytes())["sha256"])
    assert before != found.after
    assert without_marks(good) == edited
    model = load_model(good)
    assert model.sealed
    assert model.parameters[0] == mass
    assert model.provenance.edited_at is not None
    assert model.provenance.edited_at >= model.provenance.created.replace(microsecond=0)
    assert "edited by hand" in repr(model)
    second = good.read_text().splitlines()[1]
    assert second.startswith("# Edited by hand, confirmed ")


def test_it_does_nothing_to_a_file_whose_seal_is_right(good):
    before, modified = good.read_bytes(), good.stat().st_mtime_ns
    assert not confirm_edit(good, make_robot).changed
    heavier(good)
    confirm_edit(good, make_robot)
    once = good.read_bytes()
    assert not confirm_edit(good, make_robot).changed
    assert good.read_bytes() == once
    assert before != once
    assert modified <= good.stat().st_mtime_ns


def test_a_second_edit_leaves_one_mark(good):
    for _ in range(2):
        heavier(good)
        confirm_edit(good, make_robot)
    text = good.read_text()
    assert text.count("# Edited by hand") == text.count("edited_at:") == text.count(" sha256:") == 1
    assert load_model(good).sealed


def test_an_edited_model_written_again_stays_one(good, tmp_path):
    heavier(good)
    confirm_edit(good, make_robot)
    again = tmp_path / "again.yaml"
    load_model(good).save(again)
    assert load_model(again).provenance.edited_at == load_model(good).provenance.edited_at


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: re.sub(r"(?m)^#.*\n", "", text),
        lambda text: text + "# the end, without a line break",
        lambda text: text.replace("    model:\n", "    model: # of the arm\n\n      # first\n"),
        lambda text: re.sub(r'sha256: "(\w{64})"\n', r"sha256: \1 # by hand\n", text, count=1),
        lambda text: re.sub(r'sha256: "\w{64}"\n', "sha256: >-\n        abc\n", text, count=1),
        lambda text: re.sub(r'\n +sha256: "\w{64}"', "", text, count=1),
        lambda text: yaml.safe_dump(yaml.safe_load(text), sort_keys=True),
        lambda text: yaml.safe_dump(yaml.safe_load(text), default_flow_style=True, width=10**6),
        lambda text: json.dumps(yaml.safe_load(text)).replace("NaN", ".nan"),
    ],
)
def test_however_the_file_is_written_its_content_stays(good, rewrite):
    good.write_bytes(rewrite(good.read_bytes().decode()).encode())
    written = good.read_bytes()
    values = model_entries(good.read_bytes())["parameters"]
    values[0] += 0.5
    text = written.decode().replace(repr(values[0] - 0.5), repr(values[0]))
    good.write_bytes(text.encode())
    before = model_entries(good.read_bytes())
    assert confirm_edit(good, make_robot).changed
    assert load_model(good).sealed
    after = model_entries(good.read_bytes())
    for name in ("sha256", "edited_at"):
        before.pop(name, None)
        after.pop(name)
    assert repr(after) == repr(before)
    marks = good.read_bytes().decode()
    if "\r\n" in text:
        assert marks.count("\n") == marks.count("\r\n")


def test_a_file_of_the_first_format_becomes_one_of_the_second(good):
    edit(good, "format: 2", "format: 1")
    edit(good, r'\n +sha256: "\w{64}"', "")
    found = confirm_edit(good, make_robot)
    assert found.before is None
    assert model_entries(good.read_bytes())["format"] == 2
    assert load_model(good).sealed


def test_status_stays_as_it_is(good, possible, failed):
    replace(possible, provenance=failed.model.provenance).save(good, force=True)
    heavier(good)
    assert confirm_edit(good, make_robot).model.failed
    assert load_model(good).failed


def test_a_failed_model_cannot_be_made_a_good_one(good, possible, failed):
    replace(possible, provenance=failed.model.provenance).save(good, force=True)
    edit(good, 'status: "failed"', 'status: "success"')
    before = good.read_bytes()
    with pytest.raises(ModelFileError, match="was not sealed: identify again"):
        confirm_edit(good, make_robot)
    assert good.read_bytes() == before


@pytest.mark.parametrize(
    ("pattern", "new", "sentence"),
    [
        (
            r"^( +parameters:\n +- )\S+",
            r"\g<1>-2.5",
            "is not physically consistent: the pseudo-inertia of the body at joint 'shoulder'",
        ),
        (r"^( +parameters:\n +- )\S+", r"\g<1>.nan", "finite number"),
        (r"^( +parameters:\n +- )\S+", r"\g<1>'2'", "number"),
        (r"^( +parameters:\n) +- .*\n", r"\g<1>", "values, expected"),
        ("gravity: .*", "gravity: [0.0, 0.0, -1.6]", "model.gravity does not match"),
        ('urdf_sha256: "....', 'urdf_sha256: "0000', "model.urdf was altered"),
        ("format: 2", "format: 3", "has model.format 3"),
        ("      semi_static", "      semi_statik", "semi_statik"),
        ("ros__parameters", "ros_parameters", "is not a dynid model"),
        ("model:", "model: [", "is not valid YAML"),
    ],
)
def test_all_other_checks_must_pass(good, pattern, new, sentence):
    edit(good, pattern, new)
    before = good.read_bytes()
    with pytest.raises(ModelFileError, match=sentence) as refusal:
        confirm_edit(good, make_robot)
    assert str(refusal.value).startswith(str(good))
    assert good.read_bytes() == before
    assert list(good.parent.iterdir()) == [good]


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    path = tmp_path / "model.yaml"
    with pytest.raises(ModelFileError, match=r"there is no such file\.$"):
        confirm_edit(path, make_robot)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ModelFileError, match=r"is not text in UTF-8\.$"):
        confirm_edit(path, make_robot)
    with pytest.raises(ModelFileError, match="is a folder"):
        confirm_edit(tmp_path, make_robot)


def test_the_command_prints_what_it_did(good):
    heavier(good)
    before = model_entries(good.read_bytes())["sha256"]
    result = CliRunner().invoke(app, ["model", "seal", str(good)])
    assert result.exit_code == 0, result.output
    after = model_entries(good.read_bytes())["sha256"]
    assert result.output == (
        f"{good}: the edit is confirmed. Old seal: {before[:12]}…; new seal: {after[:12]}…; "
        "status: success.\n"
    )
    result = CliRunner().invoke(app, ["model", "seal", str(good)])
    assert "the seal is valid" in result.output
    shown = json.loads(CliRunner().invoke(app, ["model", "seal", str(good), "--json"]).output)
    assert set(shown) == {*("model", "changed", "sha256_before", "sha256", "status", "edited_at")}
    assert shown["changed"] is False
    assert shown["sha256"] == shown["sha256_before"] == after
    assert re.fullmatch(TIME, shown["edited_at"])
