"""Runs a command, again where the machine stalled: ``python3 patiently.py COMMAND ARGUMENT...``.

joint_state_broadcaster leaves out what its publishing thread has no time for; no model comes of a
recording with a gap, and that is right, but no fault of what is under test.
"""

import signal
import subprocess
import sys

STALLED = "samples are missing for"
ATTEMPTS = 4


def main() -> int:
    for attempt in range(ATTEMPTS):
        process = subprocess.Popen(  # noqa: S603  what a test asked for
            sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            text, _ = process.communicate()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate()
            break
        if STALLED not in text:
            break
        sys.stdout.write(f"attempt {attempt + 1}: this machine stalled\n")
    sys.stdout.write(text)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
