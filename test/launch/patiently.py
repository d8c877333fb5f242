"""Runs a command, repeated if the machine stalled: ``python3 patiently.py COMMAND ARGUMENT...``.

joint_state_broadcaster drops messages when its publishing thread is late; a recording with a gap is
then refused, as it should be, which is not what is tested here. A machine that stalls in every
attempt gives no result, which is reported.
"""

import signal
import subprocess
import sys
import time

from deadline import LONGEST

STALLED = "samples are missing for"
GAVE_UP = "this machine stalled in every attempt"
ATTEMPTS = 0.6 * LONGEST  # [s] in which an attempt may begin


def main() -> int:
    deadline = time.monotonic() + ATTEMPTS
    while True:
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
        if time.monotonic() > deadline:
            sys.stdout.write(f"{GAVE_UP}\n")
            break
        sys.stdout.write("once more, because this machine stalled\n")
    sys.stdout.write(text)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
