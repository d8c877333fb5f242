"""kill -9 at random times: are the remaining results of one run?

``python benchmarks/fault_trials.py --kills 20``: so many kills of each kind of process, each in a
folder with the results of an earlier run. Every other kill waits until the process begins to write.
A trial is bad where files of two runs lie beside each other, one is cut off, or results are gone:
``seen`` as another program finds them, ``then`` after the next command of dynid. What is left in
hidden folders then is counted too. The moments are drawn from ``--seed``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import yaml

from dynid.errors import DynidError
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.files import write_text
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.load import read_samples
from dynid.simulation.simulate import simulate

LONGEST = 600.0  # [s] for a process to begin to write, or to end
WRITING = 0.3  # [s] in which a process is killed after it began to write

IDENTIFIER = """
import sys
import rclpy
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger
from dynid_ros.executor import make_executor
from dynid_ros.identifier import Identifier
from dynid_ros.discovery_range import enter_own_domain

enter_own_domain()
rclpy.init()
names = ("profile", "recording", "output")
parameters = [Parameter(name, value=value) for name, value in zip(names, sys.argv[1:])]
node = Identifier(parameter_overrides=parameters)
executor = make_executor()
executor.add_node(node)
client = node.create_client(Trigger, "/identifier/identify")
client.wait_for_service()
answer = client.call_async(Trigger.Request())
while not answer.done():
    executor.spin_once(timeout_sec=0.1)
sys.exit(0 if answer.result().success else 1)
"""
RECORDER = """
import sys
import rclpy
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from dynid_ros.executor import make_executor
from dynid_ros.discovery_range import enter_own_domain
from dynid_ros.qos import STATES
from dynid_ros.recorder import Recorder

enter_own_domain()
rclpy.init()
node = Recorder(parameter_overrides=[Parameter("output", value=sys.argv[1])])
executor = make_executor()
executor.add_node(node)
publisher = node.create_publisher(JointState, "/joint_states", STATES)
count = 0
def publish():
    global count
    message = JointState(name=["a", "b"], position=[float(count), 0.0], effort=[0.0, 0.0])
    message.header.stamp = node.get_clock().now().to_msg()
    publisher.publish(message)
    count += 1
node.create_timer(0.001, publish)
node.start()
for _ in range(6000):
    executor.spin_once(timeout_sec=0.1)
node.stop()
"""


class Shop:
    """A small robot, bags of its motion, and its model."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(Path(__file__).parents[1] / "test"))
        from support.small_robot import write_small_robot

        self.profile = Path(write_small_robot(folder))
        # a demonstration is the same in every run: an earlier one needs other settings
        content = yaml.safe_load(self.profile.read_text())
        content["identification"] = {**content.get("identification", {}), "cutoff_hz": 9}
        self.other_profile = self.profile.with_name("earlier.yaml")
        self.other_profile.write_text(yaml.safe_dump(content, sort_keys=False))
        robot = load_robot(self.profile)
        settings = find_excitation(robot)
        if settings is None:
            raise ValueError(self.profile)
        motion = build_excitation(settings, robot.limits, robot.joints)
        self.bags = [folder / f"bag_{seed}" for seed in range(2)]
        for seed, bag in enumerate(self.bags):
            write_bag(simulate(robot, motion, seed=seed), bag)
        self.model = folder / "base.yaml"
        identify(robot, simulate(robot, motion)).model.save(self.model)

    def command(self, mode: str, out: Path, *, earlier: bool = False) -> list[str]:
        """The process of one trial; ``earlier`` the one before it, all of whose files differ."""
        bag, other = reversed(self.bags) if earlier else self.bags
        cutoff = ["--set", f"identification.cutoff_hz={9 if earlier else 8}"]
        profile = ["-p", self.profile]
        demonstrated = self.other_profile if earlier else self.profile
        strict = ["--set", "identification.max_relative_torque_error=0.0001"]
        commands: dict[str, Sequence[object]] = {
            "identify": ["-m", "dynid", "identify", bag, *profile, "-o", out],
            "failing": ["-m", "dynid", "identify", bag, *profile, "-o", out, *strict],
            "validate": ["-m", "dynid", "validate", other, "-m", self.model, "-o", out],
            "friction": [
                "-m",
                "dynid",
                "identify",
                "friction",
                bag,
                other,
                *profile,
                "-o",
                out,
                *cutoff,
            ],
            "tune": [
                "-m",
                "dynid",
                "collisions",
                "tune",
                bag,
                "-m",
                self.model,
                "-o",
                out / "c.yaml",
            ],
            "demo": ["-m", "dynid", "demo", "--without-ros", "-p", demonstrated, "-o", out],
            "identifier": ["-c", IDENTIFIER, self.profile, bag, out],
            "recorder": ["-c", RECORDER, out / "recording"],
        }
        return [sys.executable, *map(str, commands[mode])]


MODES = ("identify", "failing", "validate", "friction", "tune", "demo", "identifier", "recorder")
NEW = ("tune", "recorder")  # refuse to replace what is there


def files_of(folder: Path) -> dict[str, bytes]:
    """Visible files of a folder; bags have unique names, and stay."""
    found = (path for path in folder.iterdir() if path.is_file() and path.name[0] != ".")
    return {path.name: path.read_bytes() for path in found}


def complaint(earlier: dict[str, bytes], found: dict[str, bytes]) -> str:
    """What is wrong with the files found beside, or in place of, earlier ones; else empty."""
    cut = [name for name, content in found.items() if _is_cut_off(name, content)]
    if cut:
        return f"cut off: {', '.join(cut)}"
    for group in ("validation", "failed", ""):
        old = {name: content for name, content in earlier.items() if _group(name) == group}
        now = {name: content for name, content in found.items() if _group(name) == group}
        kept = [name for name in old if now.get(name) == old[name]]
        if kept and now != old:
            new = sorted(set(now) - set(kept)) or sorted(set(old) - set(kept))
            return f"of two runs: {', '.join(new)} beside {', '.join(kept)}"
    return _contradiction(found)


def _group(name: str) -> str:
    """What a file belongs to; a profile's own URDF, which never changes, to nothing."""
    if name.endswith(".urdf") and not name.endswith("_identified.urdf"):
        return "the profile"
    if name.startswith("validation."):
        return "validation"
    return "failed" if ".failed." in name else ""


def _is_cut_off(name: str, content: bytes) -> bool:
    if name.endswith(".html"):
        return not content.rstrip().endswith(b"</html>")
    if name.endswith(".urdf"):
        return not content.rstrip().endswith(b"</robot>")
    if name.endswith(".mcap"):
        return content[-8:] != b"\x89MCAP0\r\n"
    if name.endswith(".yaml"):
        with contextlib.suppress(yaml.YAMLError):
            return not yaml.safe_load(content)
        return True
    return False


def _contradiction(found: dict[str, bytes]) -> str:
    """Whether a model and a report are of two identifications; a failed model as a good one."""
    model, report = found.get("model.yaml"), found.get("report.html")
    if model is None or report is None:
        return ""
    created = re.search(rb'created: "([^"]*)"', model)
    if created is None or created[1] not in report:
        return "model.yaml and report.html have different times"
    return "a failed model took the place of a good one" if b'status: "failed"' in model else ""


def trial(shop: Shop, mode: str, out: Path, moment: Callable[[Path], None]) -> Counter[str]:
    """Kill one process; return the outcome."""
    earlier = files_of(out)
    with subprocess.Popen(
        shop.command(mode, out),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        moment(out)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    result: Counter[str] = Counter(kills=int(process.returncode == -signal.SIGKILL))
    seen = complaint(earlier, files_of(out))
    missing = sorted(set(earlier) - set(files_of(out)))
    result["seen"] = int(bool(seen))
    result["incomplete for others"] = int(bool(missing) and not seen)
    write_text(out / "next.txt", "")
    (out / "next.txt").unlink()
    found = files_of(out)
    then = complaint(earlier, found) or ("gone" if set(earlier) - set(found) else "")
    result["then"] = int(bool(then))
    result["left over"] = int(any(path.name.startswith(".") for path in out.iterdir()))
    result["new"] = int(found != earlier)
    if mode == "recorder":
        result["then"] += _unreadable(out / "recording")
    if seen or then:
        print(f"  {mode}: seen: {seen or 'good'}; then: {then or 'good'}", flush=True)
    return result


def _unreadable(bag: Path) -> int:
    """Whether what a killed recorder has flushed (once a second) cannot be read."""
    storage = next(bag.glob("*.mcap"), None) if bag.exists() else None
    if storage is None or storage.stat().st_size < 20_000:
        return 0
    try:
        return int(len(read_samples(bag, ("a", "b")).stamps) == 0)
    except DynidError as error:
        print(f"  recorder: {error}")
        return 1


def moments(duration: float, random: np.random.Generator) -> Callable[[Path], None]:
    """When to kill: at any time of a run's duration [s], or while files are written."""
    at_writing = bool(random.random() < 0.5)
    wait = float(random.uniform(0.0, WRITING if at_writing else duration))

    def moment(out: Path) -> None:
        deadline = time.monotonic() + LONGEST
        known = set(out.iterdir())
        while at_writing and set(out.iterdir()) == known and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(wait)

    return moment


def trials(shop: Shop, mode: str, folder: Path, kills: int, random: np.random.Generator) -> None:
    """Print the outcomes of many kills of one kind of process."""
    out = folder / mode
    out.mkdir()
    if mode == "failing":
        identified = shop.command("identify", out, earlier=True)
        subprocess.run(identified, check=True, capture_output=True)
    begun = time.monotonic()
    command = shop.command(mode, out, earlier=True)
    ran = subprocess.run(command, check=False, capture_output=True)
    duration = time.monotonic() - begun
    if ran.returncode not in (0, 1):
        raise RuntimeError(ran.stderr.decode(errors="replace"))
    first = folder / f"{mode}-first"
    shutil.copytree(out, first, symlinks=True)
    total: Counter[str] = Counter()
    while total["kills"] < kills:
        shutil.rmtree(out)
        if mode in NEW:
            out.mkdir()
        else:
            shutil.copytree(first, out, symlinks=True)
        total += trial(shop, mode, out, moments(duration, random))
        total["trials"] += 1
    columns = ("kills", "new", "seen", "incomplete for others", "then", "left over")
    row = "".join(f"{total[name]:>{len(name) + 2}}" for name in columns)
    print(f"{mode:<11}{row}", flush=True)


def main() -> None:
    """Kill processes, and count what is left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--kills", type=int, default=20, help="of each kind of process")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(Path(folder))
        print("process      kills  new  seen  incomplete for others  then  left over")
        for mode in options.modes:
            trials(shop, mode, Path(folder), options.kills, random)


if __name__ == "__main__":
    main()
