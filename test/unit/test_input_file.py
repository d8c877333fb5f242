"""Files that are not readable text: one sentence for each kind, and none blocks."""

from __future__ import annotations

import os
import socket
import tracemalloc
from pathlib import Path

import pytest

from dynid.errors import ConfigurationError
from dynid.input_file import is_file, read_text
from dynid.text import printable


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a: \xff", r"byte 4 is not UTF-8"),
        ("a: 1".encode("utf-16"), "is UTF-16 or UTF-32; save it as UTF-8"),
        ("a: 1".encode("utf-16-be"), "contains null bytes"),
        ("a: 1".encode("utf-32"), "is UTF-16 or UTF-32"),
        (b"a: 1\0", "contains null bytes"),
    ],
)
def test_refuses_data_that_are_not_text_in_utf8(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"f\.yaml: cannot be read as text.*{sentence}"):
        read_text(path)


def test_reads_a_byte_order_mark_and_all_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes("\ufeffé: 1\r\nb: 2\rc: 3\n".encode())
    assert read_text(path) == "é: 1\nb: 2\nc: 3\n"


def test_an_empty_file_is_an_empty_text(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    assert read_text(tmp_path / "f") == ""


def test_refuses_a_pipe_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.yaml")
    with pytest.raises(ConfigurationError, match=r"f\.yaml: is a pipe; expected the name of a"):
        read_text(tmp_path / "f.yaml")


def test_refuses_a_socket_a_device_and_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("f.yaml")
        with pytest.raises(ConfigurationError, match=r"f\.yaml: is a socket"):
            read_text(Path("f.yaml"))
    with pytest.raises(ConfigurationError, match="/dev/zero: is a device"):
        read_text(Path("/dev/zero"))
    with pytest.raises(ConfigurationError, match="is a folder"):
        read_text(tmp_path)


def test_refuses_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.yaml: there is no such file\."):
        read_text(tmp_path / "gone.yaml")


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "a/" * 3000])
def test_refuses_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_text(tmp_path / name)
    assert not is_file(tmp_path / name)


def test_a_file_larger_than_the_limit_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNID_MAX_TEXT_BYTES", "10")
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a" * 10)
    assert read_text(path) == "a" * 10
    path.write_bytes(b"a" * 11)
    with pytest.raises(ConfigurationError, match="has 11 bytes, but at most 10 are allowed"):
        read_text(path)


def test_a_file_without_a_known_size_is_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNID_MAX_TEXT_BYTES", "10")
    with pytest.raises(ConfigurationError, match="or more, but at most 10 are allowed"):
        read_text(Path("/proc/self/status"))


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("a: 1\n")
    tracemalloc.start()
    try:
        read_text(path)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_file_without_a_known_size_is_read_to_its_end() -> None:
    content = read_text(Path("/proc/self/status"))
    assert content.startswith("Name:")
    assert "Threads:" in content


def test_names_are_shown_in_a_form_safe_for_terminals() -> None:
    assert printable(os.fsdecode(b"\xff\x1b[31m\xc3\xa9.yaml")) == r"\xff\x1b[31mé.yaml"
    assert printable(Path("é/a b")) == "é/a b"
    assert printable("\ud800") == r"\ud800"
