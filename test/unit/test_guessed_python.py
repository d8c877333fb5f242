"""Lines of Python that a newcomer writes, who knows NumPy, pandas and scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from support.synthetic import ARM_URDF, arm_recording, arm_robot

import dynid
from dynid.profile import write_profile

CUTOFF_HZ = 20

WORKING = """
dynid.load_robot("arm.urdf")
dynid.load_robot(Path("arm.urdf"))
print(robot)
dynid.load_recording("work.npz", robot)
dynid.load_recording("work.npz", "arm.urdf")
dynid.load_recording("work.npz")
dynid.Recording.from_csv("work.csv")
dynid.Recording(t, q, tau)
dynid.Recording(time=t, position=q, velocity=dq, effort=tau)
dynid.Recording(t, q, tau, joint_names=robot.joints)
dynid.Recording.from_arrays(t, q, tau)
dynid.Recording.from_arrays(t, q, tau, velocity=dq, joint_names=robot.joints)
dynid.Recording.from_arrays(list(t), q.tolist(), tau.tolist())
dynid.Recording.from_frame(recording.to_frame())
len(recording)
recording.summary()
recording.to_frame()
recording.plot()
recording[1.0:4.0]
recording[:4]
recording[1:]
recording.save("copy.npz")
recording.save("copy.csv")
recording.save("copy_bag")
dynid.identify("arm.urdf", "work.npz")
dynid.identify(Path("arm.yaml"), [Path("work.npz")])
dynid.identify("arm.yaml", recording)
dynid.identify("arm.yaml", recording.to_frame())
dynid.identify(robot, ["work.npz", recording])
dynid.identify(robot, dynid.Recording(t, q, tau))
dynid.identify(robot, recording[1:4])
dynid.identify(robot, recording, cutoff_hz=20)
dynid.identify(robot, recording, terms=["viscous", "coulomb"])
dynid.identify(robot, recording, terms="viscous")
dynid.identify(robot, recording, terms=[{"kind": "viscous"}, "offset"])
dynid.identify(robot, recording, estimator="ols")
dynid.identify(robot, recording, estimator=dynid.OrdinaryLeastSquares())
dynid.identify(robot, recording, estimator=dynid.OrdinaryLeastSquares)
result.passed
result.summary()
print(result)
result.to_frame()
result.to_dict()
result.plot()
result.report("report.html")
result.errors[result.joints[0]].rmse
result.model.save("again.yaml")
dynid.load_model("model.yaml")
model.summary()
model.to_frame()
model.mass_matrix(q)
model.gravity(q)
model.inverse_dynamics(q, dq, dq)
model.predict(recording)
model.predict("work.npz")
model.export("identified.urdf")
dynid.validate(model, "work.npz").passed
dynid.validate("model.yaml", recording).plot()
dynid.validate(result, recording).summary()
dynid.validate(model, recording).report("validation.html")
dynid.compare_models("model.yaml", model).to_frame()
dynid.compare_models(result, "model.yaml", "work.npz").summary()
dynid.cross_validate("arm.yaml", "work.npz", folds=3)
dynid.cross_validate(robot, [recording[:2.5], recording[2.5:]])
dynid.diagnose("model.yaml", "work.npz").to_frame()
dynid.diagnose(result, recording).summary()
dynid.diagnose("arm.yaml", "work.npz")
dynid.diagnose(robot, recording)
dynid.identify_payload("model.yaml", "work.npz").summary()
dynid.identify_payload(model, recording).to_frame()
dynid.identify_payload(result, recording).passed
dynid.tune_collision("model.yaml", "work.npz").settings()
dynid.estimate_wrench("model.yaml", "work.npz", free=["work.npz"])
dynid.predict_uncertainty("scara_2r", motion)
motion.plot()
motion.duration
dynid.simulate("scara_2r", motion, control_rate=100)
dynid.simulate("scara_2r", "motion.yaml", control_rate=100)
dynid.identify(robot, Path().glob("work.npz"))
dynid.TotalLeastSquares()
dynid.shipped_profiles()
"""
"""In the order of the work: robot, recording, identification, results, model, evaluation, use."""

REFUSED = {
    "dynid.Robot('arm.urdf')": "dynid.load_robot('arm.urdf')",
    "dynid.Robot()": "dynid.load_robot(FILE)",
    "dynid.Robot.from_urdf('arm.urdf')": "dynid.load_robot(FILE)",
    "dynid.Recording('work.csv')": "dynid.load_recording('work.csv')",
    "dynid.Recording()": "dynid.load_recording(FILE)",
    "dynid.Recording.read_bag('work')": "dynid.load_recording(FILE)",
    "dynid.Recording.from_numpy(t, q, tau)": "from_arrays",
    "dynid.Model('model.yaml')": "dynid.load_model('model.yaml')",
    "dynid.Model.load('model.yaml')": "dynid.load_model(FILE)",
    "recording.rate": "sampling_rate",
    "recording.to_dataframe()": "to_frame",
    "recording.describe()": "summary",
    "recording.tau": "effort",
    "recording[3]": "recording[2:8]",
    "recording[100:200]": "which lasts from 0 s",
    "recording.save('copy.mat')": ".npz or .csv",
    "dynid.Recording(t, q, tau[:-1])": "effort has shape",
    "dynid.Recording('a', 'b', 'c')": "time must be an array of numbers",
    "dynid.Recording(t, q, [['a']])": "effort must be an array of numbers",
    "dynid.Recording(t, q, tau, joint_names='elbow')": "joint_names must be a list",
    "dynid.Recording(t, q, tau, joint_names=['a', 'a', 'b'])": "different names",
    "dynid.Recording(t, np.nan * q, tau)": "position contains NaN",
    "dynid.Recording(t, q, tau, velocity=np.inf * dq)": "velocity contains NaN or infinity",
    "dynid.Recording(t, q, 1j * tau)": "effort must be an array of numbers",
    "dynid.load_bag('work.mcap')": "load_recording",
    "dynid.Recording(t**2, q, tau)": "Recording.from_arrays",
    "dynid.identify(robot, recording, friction=['viscous'])": "terms",
    "dynid.identify(robot, recording, cutoff=10)": "cutoff_hz",
    "dynid.identify(robot, recording, terms=['viscus'])": "viscous",
    "dynid.identify(robot, recording, estimator='lms')": "'ols'",
    "dynid.identify('no.urdf', recording)": "no.urdf",
    "dynid.identify(robot, 'no.npz')": "no.npz",
    "result.save('model.yaml')": "model.save",
    "result.predict(recording)": "model.predict",
    "result.score": "errors",
    "result.to_csv('a.csv')": "to_frame().to_csv",
    "result.to_urdf('a.urdf')": "export",
    "model.fit(recording)": "dynid.identify",
    "recording.split(0.7)": "recording[2:8]",
    "recording.shape": "position.shape",
    "dynid.train_test_split(recording)": "recording[2:8]",
    "dynid.demo('scara_2r')": "dynid demo",
    "dynid.plot(result)": ".plot()",
    "model.score(recording)": "errors",
    "result.coef_": "parameters",
    "model.torque(q, dq, dq)": "inverse_dynamics",
    "model.M(q)": "mass_matrix",
    "model.export('model.xlsx')": ".urdf",
    "model.predict(q)": "inverse_dynamics",
    "dynid.validate('arm.urdf', recording)": "dynid.identify() makes a model",
    "dynid.simulate('scara_2r', 'no.yaml')": "no.yaml",
    "dynid.detect_drift('model.yaml', [])": "history_of_models",
    "dynid.friction(robot, recording)": "select_friction",
    "dynid.payload(model, recording)": "identify_payload",
    "dynid.list_robots()": "shipped_profiles",
    "dynid.OLS()": "OrdinaryLeastSquares",
    "dynid.compare('a.yaml', 'b.yaml')": "compare_models",
    "dynid.excite('scara_2r')": "design_excitation",
    "model.predict(q, dq, dq)": "model.inverse_dynamics(q, dq, ddq)",
    "dynid.validate(robot, model, recording)": "expected validate(model, recordings)",
    "dynid.identify(robot)": "missing a required argument: 'recordings'",
    "dynid.simulate(robot, motion, duration=5)": "unexpected keyword argument 'duration'; expected",
    "dynid.load_recording()": "expected load_recording(path, robot=..., topic=...",
    "robot.dof": "'joints'",
    "robot.regressor(q, dq, dq)": "robot.mechanism()",
    "robot.inverse_dynamics(q, dq, dq)": "robot.mechanism()",
    "robot.forward_kinematics(q)": "robot.kinematics()",
    "robot.plot()": "dynid view ROBOT",
    "robot.identify(recording)": "dynid.identify(robot, recording)",
    "robot.simulate()": "dynid.simulate(robot",
    "recording.resample(100)": "cutoff_hz",
    "recording.acceleration": "differentiates",
    "recording.concat(recording)": "as a list",
    "model.validate(recording)": "dynid.validate(model, recording)",
    "result.cross_validate()": "dynid.cross_validate(robot",
    "dynid.save(model)": ".model.save(FILE)",
}
"""Lines that name something else, each with words of the one sentence that they end in."""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the lines use, and the folder that they run in."""
    folder = tmp_path_factory.mktemp("newcomer")
    (folder / "arm.urdf").write_text(ARM_URDF)
    robot = arm_robot(identification={"cutoff_hz": CUTOFF_HZ})
    write_profile(robot, folder / "arm.yaml", note="of a test")
    recording = arm_recording(samples=500, rate=100, noise=0.05)
    result = dynid.identify(robot, recording)
    result.model.save(folder / "model.yaml")
    recording.save(folder / "work.npz")
    recording.save(folder / "work.csv")
    settings = {"duration": 5, "starts": 1, "jobs": 1}
    motion = dynid.design_excitation("scara_2r", save_to=folder / "motion.yaml", **settings)
    return {
        "Path": Path,
        "dq": recording.velocity,
        "dynid": dynid,
        "folder": folder,
        "model": result.model,
        "np": np,
        "motion": motion,
        "q": recording.position,
        "recording": recording,
        "result": result,
        "robot": robot,
        "t": recording.time,
        "tau": recording.effort,
    }


@pytest.fixture(autouse=True)
def in_the_folder(names: dict[str, object], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(str(names["folder"]))
    yield
    plt.close("all")


@pytest.mark.parametrize("line", WORKING.split("\n")[1:-1])
def test_a_line_that_is_guessed_works(names: dict[str, object], line: str) -> None:
    eval(line, dict(names))  # noqa: S307


@pytest.mark.parametrize(("line", "words"), REFUSED.items())
def test_another_line_ends_in_a_sentence(names: dict[str, object], line: str, words: str) -> None:
    with pytest.raises((dynid.DynidError, AttributeError)) as refusal:
        eval(line, dict(names))  # noqa: S307
    text = str(refusal.value)
    assert words in text
    assert "\n" not in text
