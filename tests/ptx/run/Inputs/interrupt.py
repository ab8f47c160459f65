"""Runs a command, interrupts it after a moment as Ctrl-C does, and says how it ended."""
import signal
import subprocess
import sys
import time

child = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
for _ in range(100):
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    try:
        child.wait(2)
        break
    except subprocess.TimeoutExpired:
        pass
sys.stdout.write(child.stderr.read())
print("status", child.returncode)
