"""Files of an identification in a folder with the results of an earlier one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.validated import validation_of

from dynid.profile import load_model
from dynid.report.write import kept_model, write_outputs, write_validation_outputs

GOOD = ["arm_identified.urdf", "model.yaml", "report.html", "signals.mcap"]
FAILED = ["model.failed.yaml", "report.failed.html", "signals.failed.mcap"]


@pytest.fixture(autouse=True)
def without_reports(monkeypatch) -> None:
    for name in ("write_report", "write_validation_report"):
        monkeypatch.setattr(
            f"dynid.report.write.{name}", lambda _, path, named: path.write_text("")
        )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_identification_leaves_the_good_one_byte_for_byte(
    identification, failed, tmp_path
) -> None:
    write_outputs(identification, tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in GOOD}
    written = write_outputs(failed, tmp_path)
    assert [path.name for path in written] == FAILED
    assert names(tmp_path) == sorted(GOOD + FAILED)
    assert {name: (tmp_path / name).read_bytes() for name in GOOD} == before
    assert not load_model(tmp_path / "model.yaml").failed
    assert load_model(tmp_path / "model.failed.yaml").failed
    assert kept_model(tmp_path, success=False) == (
        f"{tmp_path}/model.yaml of an earlier identification is kept; the failed model is "
        f"in {tmp_path}/model.failed.yaml."
    )


def test_a_folder_with_a_failed_result_alone_has_no_model(failed, tmp_path) -> None:
    write_outputs(failed, tmp_path)
    assert names(tmp_path) == FAILED
    assert kept_model(tmp_path, success=False) is None


def test_a_success_removes_what_failed_before_it(identification, failed, tmp_path) -> None:
    write_outputs(failed, tmp_path)
    write_validation_outputs(validation_of(failed), tmp_path)
    assert names(tmp_path) == sorted([*FAILED, "validation.failed.html", "validation.failed.mcap"])
    write_outputs(identification, tmp_path)
    assert names(tmp_path) == GOOD
    assert kept_model(tmp_path, success=True) is None


def test_the_validation_of_a_failed_model_leaves_that_of_the_good_one(
    identification, failed, tmp_path
) -> None:
    write_validation_outputs(validation_of(identification), tmp_path)
    before = (tmp_path / "validation.mcap").read_bytes()
    write_validation_outputs(validation_of(failed), tmp_path)
    assert (tmp_path / "validation.mcap").read_bytes() == before
    assert (tmp_path / "validation.failed.mcap").exists()


def test_no_validation_of_an_earlier_model_stays_beside_a_new_one(identification, tmp_path) -> None:
    write_outputs(identification, tmp_path)
    write_validation_outputs(validation_of(identification), tmp_path)
    assert names(tmp_path) == sorted([*GOOD, "validation.html", "validation.mcap"])
    write_outputs(identification, tmp_path)
    assert names(tmp_path) == GOOD


def test_no_urdf_of_an_earlier_model_stays_beside_a_new_one(identification, tmp_path) -> None:
    other = identification.robot.model_copy(update={"name": "other"})
    write_outputs(replace(identification, model=identification.model.with_robot(other)), tmp_path)
    (tmp_path / "mine.urdf").write_text("")
    write_outputs(identification, tmp_path)
    assert names(tmp_path) == sorted([*GOOD, "mine.urdf"])
    made = replace(identification.provenance, physically_consistent=False)
    inconsistent = replace(identification, model=replace(identification.model, provenance=made))
    write_outputs(inconsistent, tmp_path)
    assert names(tmp_path) == ["mine.urdf", "model.yaml", "report.html", "signals.mcap"]


def test_a_linked_model_is_followed_not_replaced(identification, failed, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "model.yaml"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "model.yaml").symlink_to(target)
    write_outputs(identification, tmp_path / "out")
    assert (tmp_path / "out" / "model.yaml").is_symlink()
    assert load_model(target).parameter_names == identification.model.parameter_names
    assert names(tmp_path / "elsewhere") == ["model.yaml"]
    write_outputs(failed, tmp_path / "out")
    assert not load_model(target).failed
