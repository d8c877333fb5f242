"""Temperatures of joints in recordings of every format."""

from __future__ import annotations

import numpy as np
import pytest
from mcap.reader import make_reader

from dynid.errors import RecordingError
from dynid.recording.bag_writer import BagWriter
from dynid.recording.column_proposal import propose_columns
from dynid.recording.convert import convert, write_bag
from dynid.recording.info import describe
from dynid.recording.load import load_recording
from dynid.recording.message_definitions import types_for
from dynid.recording.settings import TemperatureTopic
from dynid.recording.temperature import Temperature

NAMES = ["base", "elbow", "wrist"]
COLUMNS = {"columns": [11, 12, 13]}
DYNAMIC = "control_msgs/msg/DynamicJointState"
TYPES = types_for(DYNAMIC)


def rising(seconds):
    """Temperatures (N, 3) that differ by joint [°C]."""
    return 25.0 + np.asarray(seconds)[:, None] * [0.5, 1.0, 2.0] + [0.0, 1.0, 2.0]


def write_table(path, motion, *more):
    rows = [motion.seconds, motion.position, motion.velocity, motion.effort, *more]
    np.savetxt(path, np.column_stack(rows), delimiter=",")
    return path


@pytest.fixture
def heat_map(column_map):
    """A column map, with temperatures in the last columns if it says anything of them."""

    def make(**temperature):
        return column_map(**({"temperature": COLUMNS | temperature} if temperature else {}))

    return make


def joint_state_bag(write_messages, messages_of, motion, extra):
    """Write a bag with the joint states and temperatures as ``extra(writer)`` adds them."""
    plain = write_messages({"/joint_states": messages_of(motion)}, name="plain")
    folder = plain.parent / "warm"
    with BagWriter(folder) as bag:
        bag.add_topic("/joint_states", "sensor_msgs/msg/JointState")
        with next(plain.glob("*.mcap")).open("rb") as stream:
            for _, _, message in make_reader(stream).iter_messages():
                bag.write("/joint_states", message.log_time, message.data)
        extra(bag)
    return folder


def dynamic(stamp, values, interface="temperature", names=NAMES):
    value = TYPES.types["control_msgs/msg/InterfaceValue"]
    state = TYPES.types[DYNAMIC](
        header=header(stamp),
        joint_names=list(names),
        interface_values=[
            value(interface_names=["position", interface], values=np.array([0.0, one]))
            for one in values
        ],
    )
    return TYPES.serialize_cdr(state, DYNAMIC)


def header(stamp, frame=""):
    time = TYPES.types["builtin_interfaces/msg/Time"]
    seconds, nanoseconds = divmod(int(stamp), 10**9)
    return TYPES.types["std_msgs/msg/Header"](
        stamp=time(sec=seconds, nanosec=nanoseconds), frame_id=frame
    )


def dynamic_states(motion, topic="/dynamic_joint_states", every=1, **options):
    def extra(bag):
        bag.add_topic(topic, DYNAMIC)
        for stamp, row in zip(motion.stamps[::every], rising(motion.seconds)[::every], strict=True):
            bag.write(topic, int(stamp), dynamic(stamp, row, **options))

    return extra


def test_reads_columns_of_a_csv_file(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    recording = load_recording(file, NAMES, columns=heat_map(factor=1.0))
    heat = recording.temperature
    np.testing.assert_allclose(heat.celsius, rising(heat.time), atol=1e-9)
    assert np.diff(heat.time).min() > 0.099
    np.testing.assert_allclose(heat.at(recording.time), rising(recording.time), atol=0.2)


def test_the_motion_is_the_same_with_and_without_temperatures(motion, heat_map, tmp_path):
    celsius = rising(motion.seconds)
    celsius[5:300] = np.nan
    file = write_table(tmp_path / "a.csv", motion, celsius)
    plain = load_recording(file, NAMES, columns=heat_map())
    warm = load_recording(file, NAMES, columns=heat_map(factor=1.0))
    np.testing.assert_array_equal(warm.effort, plain.effort)
    assert warm.repairs == plain.repairs
    assert plain.temperature is None


def test_joints_are_read_in_the_order_asked_for(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    heat = load_recording(file, ["wrist", "base"], columns=heat_map(factor=1.0)).temperature
    np.testing.assert_allclose(heat.celsius, rising(heat.time)[:, [2, 0]], atol=1e-9)


def test_a_slow_file_of_temperatures_has_times_of_its_own(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion)
    seconds = np.arange(0.0, 4.0, 1.0)
    np.savetxt(tmp_path / "t.csv", np.column_stack([seconds, rising(seconds)]), delimiter=",")
    columns = heat_map(columns=[2, 3, 4], file="t.csv", time={"column": 1})
    recording = load_recording(file, NAMES, columns=columns)
    assert [source.name for source in recording.sources] == ["a.csv", "t.csv"]
    assert len(recording.time) == len(motion.stamps)
    np.testing.assert_allclose(recording.temperature.celsius, rising(seconds))


def test_refuses_temperatures_without_times(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion)
    np.savetxt(tmp_path / "t.csv", rising(np.arange(4.0)), delimiter=",")
    with pytest.raises(RecordingError, match=r"t.csv: has 4 temperatures, and no time for each"):
        load_recording(file, NAMES, columns=heat_map(columns=[1, 2, 3], file="t.csv"))


def test_a_cell_that_is_no_number_counts_as_missing(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    lines = file.read_text().splitlines()
    lines[100] = ",".join([*lines[100].split(",")[:10], "hot", "", "1e9"])
    file.write_text("\n".join(lines) + "\n")
    recording = load_recording(file, NAMES, columns=heat_map(factor=1.0))
    heat = recording.temperature
    # the next row with a number takes its place
    assert 1.0 not in heat.time
    assert 1.01 in heat.time
    np.testing.assert_allclose(heat.celsius, rising(heat.time))
    assert recording.repairs == (
        "1 of 1200 temperatures were outside of -90 to 300 °C and were ignored.",
    )


def test_refuses_kelvin_and_reads_it_with_an_offset(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds) + 273.15)
    with pytest.raises(RecordingError, match=r"joint 'base' is 299\.1 .*offset: -273\.15"):
        load_recording(file, NAMES, columns=heat_map(factor=1.0))
    heat = load_recording(file, NAMES, columns=heat_map(offset=-273.15)).temperature
    np.testing.assert_allclose(heat.celsius, rising(heat.time), atol=1e-9)


def test_refuses_columns_without_any_number(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, np.full((len(motion.stamps), 3), np.nan))
    with pytest.raises(RecordingError, match="contains no temperature that is a number"):
        load_recording(file, NAMES, columns=heat_map(factor=1.0))


def test_a_span_shifts_the_temperatures_with_the_motion(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    columns = heat_map(factor=1.0)
    loaded = load_recording(file, NAMES, columns=columns, start=1.0, stop=3.0)
    cut = load_recording(file, NAMES, columns=columns).cut(1.0, 3.0)
    for one in (loaded, cut):
        heat = one.temperature
        assert 0.0 <= heat.time[0] < 0.1
        assert heat.time[-1] <= one.duration
        np.testing.assert_allclose(heat.celsius, rising(heat.time + 1.0), atol=0.21)


def test_the_mean_is_that_of_the_joints():
    missing = np.nan
    celsius = np.array([[20.0, missing, missing], [22.0, 30.0, missing], [24.0, 32.0, missing]])
    assert Temperature(np.arange(3.0), celsius).mean == (22.0 + 31.0) / 2
    assert Temperature(np.arange(3.0), np.full((3, 2), missing)).mean is None


def test_reads_a_numpy_file(motion, tmp_path):
    arrays = {"time": motion.seconds, "position": motion.position, "effort": motion.effort}
    celsius = rising(motion.seconds)
    np.savez(tmp_path / "a.npz", joint_names=NAMES, temperature=celsius, **arrays)
    heat = load_recording(tmp_path / "a.npz", NAMES).temperature
    np.testing.assert_allclose(heat.celsius, rising(heat.time))
    np.savez(tmp_path / "b.npz", joint_names=NAMES, temperature=celsius[:, 0], **arrays)
    with pytest.raises(RecordingError, match="array 'temperature' is 400, expected 400 x 3"):
        load_recording(tmp_path / "b.npz", NAMES)


def test_reads_the_states_of_ros2_control_without_a_setting(motion, write_messages, messages_of):
    bag = joint_state_bag(write_messages, messages_of, motion, dynamic_states(motion))
    recording = load_recording(bag, NAMES)
    np.testing.assert_allclose(recording.temperature.celsius, rising(recording.temperature.time))
    assert recording.temperature.time[-1] > 3.8
    assert recording.repairs == ()


def test_reads_another_topic_interface_and_unit(motion, write_messages, messages_of):
    extra = dynamic_states(motion, "/arm/states", interface="motor_temperature")
    bag = joint_state_bag(write_messages, messages_of, motion, extra)
    assert load_recording(bag, NAMES).temperature is None
    topic = TemperatureTopic(topic="/arm/states", interface="motor_temperature", offset=1.0)
    heat = load_recording(bag, NAMES, temperature=topic).temperature
    np.testing.assert_allclose(heat.celsius, rising(heat.time) + 1.0)


def test_reads_scalar_temperatures_by_frame(motion, write_messages, messages_of):
    kind = "sensor_msgs/msg/Temperature"

    def extra(bag):
        bag.add_topic("/temperature", kind)
        for stamp, row in zip(motion.stamps[::50], rising(motion.seconds)[::50], strict=True):
            for name, value in zip(NAMES[:2], row[:2], strict=True):
                message = TYPES.types[kind](
                    header=header(stamp, name), temperature=value, variance=0.0
                )
                bag.write("/temperature", int(stamp), TYPES.serialize_cdr(message, kind))

    bag = joint_state_bag(write_messages, messages_of, motion, extra)
    heat = load_recording(bag, NAMES, temperature=TemperatureTopic(topic="/temperature"))
    found = heat.temperature.at(np.array([0.0, 2.0]))
    np.testing.assert_allclose(found[:, :2], rising([0.0, 2.0])[:, :2])
    assert np.isnan(found[:, 2]).all()


def test_recorded_names_are_mapped(motion, write_messages, messages_of):
    bag = joint_state_bag(write_messages, messages_of, motion, dynamic_states(motion))
    names = {"base": "j1", "elbow": "j2", "wrist": "j3"}
    heat = load_recording(bag, ["j1", "j2", "j3"], names=names).temperature
    np.testing.assert_allclose(heat.celsius, rising(heat.time))


def test_refuses_a_named_topic_that_is_missing_or_has_no_temperature(
    motion, write_messages, messages_of
):
    bag = joint_state_bag(write_messages, messages_of, motion, dynamic_states(motion))
    with pytest.raises(RecordingError, match=r"/heat: has no temperatures, expected messages of"):
        load_recording(bag, NAMES, temperature=TemperatureTopic(topic="/heat"))
    with pytest.raises(RecordingError, match="has no motor_heat of base, elbow, wrist; available"):
        load_recording(bag, NAMES, temperature=TemperatureTopic(interface="motor_heat"))


def test_unusable_temperatures_that_nobody_asked_for_are_noted(motion, write_messages, messages_of):
    def extra(bag):
        bag.add_topic("/dynamic_joint_states", DYNAMIC)
        for stamp in motion.stamps:
            bag.write("/dynamic_joint_states", int(stamp), dynamic(stamp, [300.0] * 3))
        bag.write("/dynamic_joint_states", int(motion.stamps[-1]), b"\0\1\0\0damaged")

    bag = joint_state_bag(write_messages, messages_of, motion, extra)
    recording = load_recording(bag, NAMES)
    assert recording.temperature is None
    (note,) = recording.repairs
    assert note.startswith("Temperatures were ignored: warm, topic /dynamic_joint_states")
    with pytest.raises(RecordingError, match="kelvin"):
        load_recording(bag, NAMES, temperature=TemperatureTopic())


def test_conversion_keeps_temperatures(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    recording = load_recording(file, NAMES, columns=heat_map(factor=1.0))
    convert(file, tmp_path / "bag", heat_map(factor=1.0))
    write_bag(recording, tmp_path / "written")
    for folder in ("bag", "written"):
        heat = load_recording(tmp_path / folder, NAMES).temperature
        np.testing.assert_allclose(heat.time, recording.temperature.time, atol=0.051)
        np.testing.assert_allclose(heat.celsius, rising(heat.time), atol=1e-9)


def test_info_states_the_range_of_temperatures(motion, heat_map, tmp_path):
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    info = describe(file, columns=heat_map(factor=1.0))
    low, high = info.joints[2].temperature
    assert (low, high) == pytest.approx((27.0, 27.0 + 2 * 3.99))
    assert describe(file, columns=heat_map()).joints[0].temperature is None


def test_a_header_with_temperatures_is_proposed():
    header = ["t", "q1", "q2", "tau1", "tau2", "temp1", "temp2"]
    assert propose_columns(header).temperature.columns == ("temp1", "temp2")
    assert propose_columns(header[:-1]).temperature is None


def test_the_frame_has_temperatures(motion, heat_map, tmp_path):
    pytest.importorskip("pandas")
    file = write_table(tmp_path / "a.csv", motion, rising(motion.seconds))
    frame = load_recording(file, NAMES, columns=heat_map(factor=1.0)).to_frame()
    np.testing.assert_allclose(frame["wrist.temperature"], 27 + 2 * motion.seconds, atol=0.2)
