"""Machines for an example: each has a daemon and a bridge, in a folder of its own. A broker connects them, and each has
a window."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from nightjar_socket import Away, Nightjar


def program(name, package=None):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
    if not path:
        raise Away(f"{name} is not there; " + (f"install Debian's package {package}" if package else
                                               "put the folder with it into PATH"))
    return path


class Network:
    """A broker in a folder of its own, and the machines on it. All of them end with the `with` statement."""

    def __enter__(self):
        self.processes, self.temporary = [], tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.broker = f"{self.folder}/mqtt"
        with open(f"{self.folder}/mosquitto.conf", "w") as config:
            config.write(f"listener 0 {self.broker}\nallow_anonymous true\nlog_dest stderr\n")
            if os.getuid() == 0:
                # Without this, mosquitto becomes another user, who may not write here.
                config.write("user root\n")
        try:
            self.start(" running", program("mosquitto", "mosquitto"), "-c", f"{self.folder}/mosquitto.conf")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            # Repeat it: mosquitto ignores a SIGTERM that comes while it starts.
            while process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=1)
                except subprocess.TimeoutExpired:
                    pass
        self.temporary.cleanup()

    def start(self, sign, *command):
        """Starts a program, and returns when the program has printed `sign`."""
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        for line in process.stderr:
            if sign in line:
                # Read the rest, or the process would wait when the pipe is full.
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return process
        raise Away(f"{command[0]} has ended")


class Machine:
    """A person's machine: its daemon, and the bridge to the broker."""

    def __init__(self, network, person, device):
        self.network, self.person, self.title = network, person, f"{person}'s {device}"
        self.folder = f"{network.folder}/{person}"
        self.socket = f"{self.folder}/socket"
        os.makedirs(self.folder)
        with open(f"{self.folder}/config.toml", "w") as config:
            config.write(f'[mqtt]\nbroker = "unix:{network.broker}"\nperson = "{person}"\n'
                         f'device = "{device}"\ngroup = "runners"\n')
        self.serve()
        self.daemon = Nightjar(self.socket)
        self.connect()

    def serve(self):
        """Starts the daemon, and starts it again when it is killed, as systemd does."""
        daemon = self.network.start(
            "ready", program("nightjard"), "--socket", self.socket, "--state-dir", f"{self.folder}/state")
        threading.Thread(target=lambda: daemon.wait() == -signal.SIGKILL and self.serve(), daemon=True).start()

    def connect(self):
        self.bridge = self.network.start(
            "connected to", program("nightjar-mqtt"), "--socket", self.socket, "--config",
            f"{self.folder}/config.toml", "--state-dir", f"{self.folder}/bridge")

    def lose(self):
        """Takes the machine off the network: its bridge sends no last message to the broker."""
        self.bridge.kill()
        self.bridge.wait()

    def share(self, session):
        subprocess.run([program("nightjar"), "share", session], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "NIGHTJAR_SOCKET": self.socket})

    def changes(self, session):
        """Yields each change of the session's timers that this machine sees, and None while the bridge is away."""
        while True:
            try:
                yield from Nightjar(f"{self.folder}/sessions/{session.replace('/', '%2F')}").replies("Watch")
            except Away:
                yield None
                time.sleep(0.02)


class Windows:
    """Windows side by side, one for each machine, with lines that change. Without a terminal, prints the changes."""
    WIDTH = 39

    def __init__(self):
        self.lock, self.windows, self.height = threading.RLock(), {}, 0

    def show(self, title, key, text, plain):
        """Shows a text of 35 characters in the line of a key. Without a terminal, prints `plain`, unless it is None."""
        with self.lock:
            lines = self.windows.setdefault(title, {})
            if lines.get(key) == text:
                return
            lines[key] = text
            if sys.stdout.isatty():
                self.draw()
            elif plain:
                print(f"{title}: {plain}", flush=True)

    def draw(self):
        rows = [[f"╭─ \033[1m{title}\033[0m {'─' * (self.WIDTH - 5 - len(title))}╮" for title in self.windows]]
        for row in range(max(map(len, self.windows.values()))):
            rows.append([f"│ {[*lines.values(), *[' ' * (self.WIDTH - 4)] * row][row]} │" for lines in
                         self.windows.values()])
        rows.append([f"╰{'─' * (self.WIDTH - 2)}╯" for _ in self.windows])
        print(f"\033[{self.height}A" * (self.height > 0) + "\n".join(f"\r{' '.join(row)}\033[K" for row in rows),
              flush=True)
        self.height = len(rows)

    def close(self):
        """Stops all output: a later `show` of another thread waits forever."""
        self.lock.acquire()
