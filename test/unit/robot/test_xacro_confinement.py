"""What expressions of a xacro can do: compute and read files, and nothing else."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

import pytest

from dynid.errors import ConfigurationError
from dynid.packages import Packages
from dynid.robot.description import expand_xacro

BUILTINS = (
    "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'catch_warnings'][0]()"
    "._module.__builtins__"
)
"""The known way from any value to Python's own functions."""

UNDER = "'_' + '_{}_' + '_'"
"""A name that xacro's own guard does not find."""


def imported(module: str) -> str:
    return f"{BUILTINS}['__import__']('{module}')"


ESCAPES = {
    "os.open": imported("os") + ".open(VICTIM, 65)",
    "os.system": imported("os") + ".system('touch ' + VICTIM)",
    "subprocess": imported("subprocess") + ".run(['touch', VICTIM])",
    "socket": imported("socket") + ".create_connection(('127.0.0.1', PORT))",
    "ctypes": imported("ctypes") + ".CDLL(None).creat(VICTIM.encode(), 511)",
    "open": BUILTINS + "['open'](VICTIM, 'w')",
    "exec": BUILTINS + "['exec']('import os; os.mknod(' + python.repr(VICTIM) + ')')",
    "lambda": "(lambda: ().__class__.__base__.__subclasses__())()",
    "frame of a generator": "(x for x in [1]).gi_frame.f_builtins['open'](VICTIM, 'w')",
    "vars and type": f"python.vars(python.type)[{UNDER.format('subclasses')}]"
    "(python.type(1).mro()[-1])",
    "vars alone": f"python.vars(map)[{UNDER.format('init')}]",
    "getattr": f"getattr((), {UNDER.format('class')})",
    "method of a function": "xacro.load_yaml.func_globals",
    "walrus": "(x := 1)",
    "name of Python": "__builtins__",
    "format of an attribute": f"('{{0.' + {UNDER.format('class')} + chr).format(())",
}
"""Each an expression; without the confinement, those before "lambda" change something outside.

What code could do that escapes is below, in ACTIONS.
"""


class Cell:
    """A folder with a xacro, and a server, in which nothing may change."""

    def __init__(self, folder: Path) -> None:
        self.xacro = folder / "robot.xacro"
        self.victim = folder / "written"
        self.part = folder / "part.yaml"
        self.part.write_text("a: 1")
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self._before = {}

    def expand(self, body: str) -> str:
        """Return the URDF of a xacro with this body."""
        head = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
        self.xacro.write_text(f"{head}{body}</robot>")
        self._before = self._content()
        return expand_xacro(self.xacro, {}, Packages(beside=self.xacro))

    def named(self, expression: str) -> str:
        """Return an expression in which the names of this cell have their values."""
        values = {
            "VICTIM": str(self.victim),
            "PORT": self.server.getsockname()[1],
            "chr": "}",
        }
        for name, value in values.items():
            expression = expression.replace(name, repr(value))
        return expression

    def check_unchanged(self) -> None:
        """Check that no file changed and nobody connected."""
        assert self._content() == self._before
        with pytest.raises(BlockingIOError):
            self.server.accept()

    def _content(self) -> dict[str, tuple[int, bytes]]:
        files = self.xacro.parent.iterdir()
        return {one.name: (one.lstat().st_mode, read(one)) for one in files}


def read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


@pytest.fixture
def cell(tmp_path: Path) -> Iterator[Cell]:
    cell = Cell(tmp_path)
    with cell.server:
        yield cell


def refuse(cell: Cell, body: str, sentence: str) -> None:
    """Check that a body is refused in one sentence, and that nothing changed."""
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        cell.expand(body)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{cell.xacro}: cannot be expanded by xacro")
    cell.check_unchanged()


SENTENCE = "not allowed|not defined"


@pytest.mark.parametrize("name", ESCAPES)
def test_an_expression_only_computes(cell: Cell, name: str) -> None:
    # as a property, because xacro ends ${…} at the first brace and $(eval …) at the first bracket
    code = f'<xacro:property name="code" value={quoteattr(cell.named(ESCAPES[name]))}/>'
    refuse(cell, code + '<link name="$(eval ${code})"/>', "not allowed|not defined|underscore")
    if "}" not in cell.named(ESCAPES[name]):
        refuse(cell, f"<link name={quoteattr('${' + cell.named(ESCAPES[name]) + '}')}/>", SENTENCE)


FILES = {
    "include of a pipe": ("<xacro:include filename='pipe'/>", "pipe: is a pipe"),
    "include of a device": ("<xacro:include filename='/dev/zero'/>", "/dev/zero"),
    "load_yaml of a pipe": ("<link name=\"${xacro.load_yaml('pipe')}\"/>", "pipe: is a pipe"),
    "environment of a process": (
        "<link name=\"${xacro.load_yaml('/proc/self/environ')}\"/>",
        "/environ, which is not a file of a robot",
    ),
    "kernel by a link": ("<xacro:include filename='link'/>", "not a file of a robot"),
    "tag of YAML that is code": (
        "<link name=\"${xacro.load_yaml('code.yaml')}\"/>",
        "python/object/apply",
    ),
    "expression in YAML": ("<link name=\"${xacro.load_yaml('unit.yaml')}\"/>", "not allowed"),
    "environment": ("<link name='$(env DYNID_SECRET)'/>", "DYNID_SECRET:=VALUE"),
    "optional environment": ("<link name='$(optenv DYNID_SECRET no)'/>", "DYNID_SECRET:=VALUE"),
    "environment in eval": (
        "<xacro:property name='code' value=\"env('DYNID_SECRET')\"/><link name='$(eval ${code})'/>",
        "DYNID_SECRET:=VALUE",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_only_regular_files_are_read_and_no_environment(
    cell: Cell, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cell.xacro.parent
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("/proc/self/status")
    (folder / "code.yaml").write_text(f"!!python/object/apply:os.mknod ['{cell.victim}']")
    (folder / "unit.yaml").write_text("!degrees ().__class__")
    monkeypatch.setenv("DYNID_SECRET", "secret")
    refuse(cell, *FILES[name])


@pytest.mark.parametrize(
    "body",
    [
        "<link name='${python.sum(python.range(10 ** 12))}'/>",
        "<link name='${python.len([x for x in python.range(10 ** 12)])}'/>",
        "<link name=\"${'x' * 10 ** 11}\"/>",
        "<link name=\"${'%99999999999d' % 1}\"/>",
        "<xacro:macro name='m'><xacro:m/><xacro:m/></xacro:macro><xacro:m/>",
        "<xacro:include filename='robot.xacro'/>",
    ],
)
def test_an_expansion_that_does_not_end_is_stopped(
    cell: Cell, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNID_MAX_XACRO_SECONDS", "1")
    refuse(cell, body, "takes more|not end|without end|more memory")


@pytest.mark.parametrize("module", ["json", "xacro", "resource", "dynid"])
def test_python_beside_the_file_is_not_executed(cell: Cell, module: str) -> None:
    code = f"open({str(cell.victim)!r}, 'w')"
    (cell.xacro.parent / f"{module}.py").write_text(code)
    assert '<link name="a"/>' in cell.expand("<link name='a'/>")
    cell.check_unchanged()


ACTIONS = """
import ctypes, importlib, json, os, shutil, socket, sqlite3, subprocess, sys, tempfile
from pathlib import Path
from dynid.robot.xacro_program import ExpansionError
from dynid.robot.xacro_program import _confine_interpreter
folder, port = sys.argv[1], int(sys.argv[2])
victim, part = os.path.join(folder, "written"), os.path.join(folder, "part.yaml")
opened, other = open(part), open(part, "r+")
actions = [
    lambda: os.open(victim, os.O_CREAT | os.O_WRONLY),
    lambda: os.open(part, os.O_RDONLY | os.O_TRUNC),
    lambda: os.open(part, os.O_RDWR),
    lambda: open(opened.fileno(), closefd=False),
    lambda: open(victim, "w"),
    lambda: open(part, "a"),
    lambda: os.mknod(victim),
    lambda: os.mkfifo(victim),
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 5),
    lambda: os.mkdir(victim),
    lambda: os.symlink(part, victim),
    lambda: os.link(part, victim),
    lambda: os.rename(part, victim),
    lambda: os.replace(part, victim),
    lambda: os.remove(part),
    lambda: os.truncate(part, 0),
    lambda: os.chmod(part, 0),
    lambda: os.utime(part),
    lambda: os.putenv("A", "b"),
    lambda: os.system("touch " + victim),
    lambda: os.posix_spawn("/bin/touch", ["touch", victim], {}),
    lambda: os.execlp("touch", "touch", victim),
    lambda: os.fork(),
    lambda: os.kill(os.getppid(), 0),
    lambda: subprocess.run(["touch", victim]),
    lambda: socket.create_connection(("127.0.0.1", port)),
    lambda: socket.getaddrinfo("localhost", 80),
    lambda: ctypes.CDLL(None),
    lambda: shutil.copy(part, victim),
    lambda: tempfile.mkstemp(dir=folder),
    lambda: Path(victim).write_text("a"),
    lambda: sqlite3.connect(victim),
    lambda: importlib.import_module("wave"),
    lambda: (lambda: 0).__code__.replace(co_consts=()),
    lambda: sys._getframe(),
    lambda: sys.settrace(None),
]
_confine_interpreter()
done = []
for at, action in enumerate(actions):
    try:
        action()
    except ExpansionError:
        continue
    except AttributeError as error:
        if error.obj is not os:
            done.append(f"{at}: {error!r}")
    except BaseException as error:
        done.append(f"{at}: {error!r}")
    else:
        done.append(str(at))
json.dump(done, sys.stdout)
"""


def test_code_that_escapes_is_refused_by_the_interpreter(cell: Cell) -> None:
    cell.expand("")
    command = [sys.executable, "-c", ACTIONS, str(cell.xacro.parent)]
    command += [str(cell.server.getsockname()[1])]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout) == []
    cell.check_unchanged()


NEEDED = {
    "${pi / 2}": "1.5707963267948966",
    "${math.cos(0) + radians(180) / pi}": "2.0",
    "${round(2.5 * length, 3)}": "0.75",
    "${config['arm']['mass'] + config.arm.mass}": "3.0",
    "${config.arm.limit}": "1.5707963267948966",
    "${config.arm.reach}": "0.25",
    "${config.arm.tool.name}": "gripper",
    "${config.get('gone', 4)}": "4",
    "${[2 * x for x in config.arm.axis][2]}": "2",
    "${python.sum(map(lambda x: x * x, [1, 2, 3]))}": "14",
    "${'a b c'.split(' ')[1].upper()}": "B",
    "${'%.2f' % length}": "0.30",
    "${'left' if side.startswith('l') and not mirrored else 'right'}": "left",
    "${dict(a=1, b=2)['b']}": "2",
    "${python.isinstance(length, float)}": "True",
    "${xacro.arg('side')}": "left",
    "${str(part.width) + part.kind}": "0.5box",
    "${xacro.dotify(dict(a=dict(b=3))).a.b}": "3",
    "$(arg side)_$(optenv DYNID_NOT_SET none)": "left_none",
    "$(env MODEL)": "ur5e",
    "$(optenv MODEL none)": "ur5e",
    "$(eval ${code})": "3",
}


@pytest.mark.parametrize("folder", ["beside", "given"])
def test_robot_descriptions_have_what_they_need(tmp_path: Path, folder: str) -> None:
    package = tmp_path / "vendor_description"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>vendor_description</name></package>")
    (package / "arm.yaml").write_text(
        "arm: {mass: 1.5, limit: !degrees 45 * 2, reach: !millimeters 250, axis: [0, 0, 1],\n"
        "  tool: {name: gripper}}"
    )
    part = '<robot xmlns:xacro="http://ros.org/wiki/xacro">{}</robot>'
    (package / "urdf" / "part.xacro").write_text(
        part.format(
            '<xacro:property name="width" value="0.5"/><xacro:property name="kind" value="box"/>'
            '<xacro:macro name="named" params="name:=none *block"><link name="${name}">'
            '<xacro:insert_block name="block"/></link></xacro:macro>'
        )
    )
    for name in ("many_1.xacro", "many_2.xacro"):
        (package / "urdf" / name).write_text(part.format(f"<link name='{name}'/>"))
    links = "".join(f"<x value={quoteattr(expression)}/>" for expression in NEEDED)
    top = package / "urdf" if folder == "beside" else tmp_path
    path = top / "robot.xacro"
    path.write_text(
        part.format(
            '<xacro:arg name="side" default="right"/>'
            '<xacro:property name="mirrored" value="false"/>'
            '<xacro:property name="side" value="$(arg side)"/>'
            '<xacro:property name="length" value="${0.1 * 3}"/>'
            '<xacro:property name="code" value="1 + len([1, 2])"/>'
            '<xacro:property name="config" value="'
            "${xacro.load_yaml('$(find vendor_description)/arm.yaml')}\"/>"
            '<xacro:include ns="part" filename="$(find vendor_description)/urdf/part.xacro"/>'
            '<xacro:include filename="$(find vendor_description)/urdf/many_*.xacro"/>'
            '<xacro:include filename="gone.xacro" optional="true"/>'
            f'<xacro:if value="${{length > 0.2}}">{links}</xacro:if>'
            '<xacro:unless value="${length > 0.2}"><wrong/></xacro:unless>'
            '<xacro:part.named name="block"><inner/></xacro:part.named>'
        )
    )
    packages = Packages([tmp_path] if folder == "given" else [], beside=path)
    urdf = expand_xacro(path, {"side": "left", "MODEL": "ur5e"}, packages)
    tree = ET.fromstring(urdf)  # noqa: S314  ours
    assert [one.get("value") for one in tree.iter("x")] == list(NEEDED.values())
    assert [one.get("name") for one in tree.iter("link")] == [
        "many_1.xacro",
        "many_2.xacro",
        "block",
    ]
    assert tree.find("link[@name='block']/inner") is not None
    assert tree.find("wrong") is None
