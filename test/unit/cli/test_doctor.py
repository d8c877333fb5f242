"""``dynid doctor``: what is here, what is not, and how to get it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynid.cli import doctor
from dynid.cli.doctor import doctor_command

PLUGIN = "share/ament_index/resource_index/controller_interface__pluginlib__plugin"


def abilities(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    doctor_command(as_json=True)
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["abilities"]}


def test_packages_are_found_in_the_sourced_workspaces_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "share" / "controller_manager").mkdir(parents=True)
    (tmp_path / PLUGIN).mkdir(parents=True)
    (tmp_path / PLUGIN / "dynid").touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}:/nowhere")
    found = abilities(capsys)
    assert found["controller_manager"]["found"] == str(tmp_path)
    assert found["feedforward_controller"]["found"] == str(tmp_path)
    assert found["ethercat_driver"]["found"] == ""
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    assert abilities(capsys)["controller_manager"]["found"] == ""


def test_an_extra_without_one_of_its_libraries_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: name != "fsspec" and installed(name))
    found = abilities(capsys)
    assert found["dynid[fleet]"]["found"] == ""
    assert found["dynid[fleet]"]["remedy"] == "pip install 'dynid[fleet]' (missing: fsspec)"
    assert found["dynid[lerobot]"]["found"].startswith("pyarrow ")


def test_what_is_missing_is_listed_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    doctor_command()
    here, missing = capsys.readouterr().out.split("Not here:")
    assert "dynid, for identification and reports: " in here
    assert "ethercat_driver, for drives on EtherCAT: install it with apt or rosdep" in missing


def test_every_extra_that_it_lists_is_one_of_dynid() -> None:
    assert all(doctor._needed(extra) for extra in doctor._EXTRAS)
