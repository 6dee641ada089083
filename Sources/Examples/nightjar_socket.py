"""Everything that a program needs to call nightjard. A Varlink message is a JSON object and a NUL byte."""
import json
import os
import secrets
import socket
import sys
import threading
import time


def default_path():
    return os.environ.get("NIGHTJAR_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "nightjar", "socket")


class Refused(Exception):
    """An error reply: its name and its parameters."""

    def __str__(self):
        name, about = self.args
        return f"refused: {name.rpartition('.')[2]} {json.dumps(about)}"


class Away(Exception):
    """The daemon, or another program, is missing or has ended."""


class Gone(Away):
    """The connection ended, because the daemon restarts or was killed."""

    def __str__(self):
        return "the daemon has gone"


def tell(kind, error, trace):
    """Prints an expected error as one sentence. Any other error is a fault of the example, with a traceback."""
    if issubclass(kind, (Refused, Away)):
        print(error, file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def tell_of_thread(failure):
    # End the process: the other threads may wait for this one.
    tell(failure.exc_type, failure.exc_value, failure.exc_traceback)
    sys.stdout.flush()
    os._exit(1)


sys.excepthook, threading.excepthook = tell, tell_of_thread


class Nightjar:
    """A connection. It does one thing at a time, so a watch needs a connection of its own. When the daemon ends, it
    goes on with the next one."""

    def __init__(self, path=None):
        self.path = path or default_path()
        self.connect()

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(self.path)
        except OSError as error:
            raise Away(f"no daemon at {self.path}: {error.strerror}; nightjar status starts one") from None
        self.file = self.socket.makefile("rb")

    def connect_again(self):
        """Waits for the next daemon, at most a minute."""
        for _ in range(600):
            try:
                return self.connect()
            except Away:
                time.sleep(0.1)
        raise Gone

    def send(self, method, more=False, **parameters):
        call = {"method": f"org.nightjar.Timers.{method}", "more": more, "parameters": parameters}
        try:
            self.socket.sendall(json.dumps(call).encode() + b"\0")
        except OSError:
            raise Gone from None

    def receive(self):
        frame = bytearray()
        while not frame.endswith(b"\0"):
            try:
                byte = self.file.read(1)
            except OSError:
                byte = b""
            if not byte:
                raise Gone
            frame += byte
        reply = json.loads(frame[:-1])
        if "error" in reply:
            raise Refused(reply["error"], reply.get("parameters", {}))
        return reply

    def call(self, method, **parameters):
        """Makes a change. If the daemon ends before it has replied, the call is sent again with the same request id,
        and is carried out once."""
        parameters["request"] = secrets.token_hex(8)
        while True:
            try:
                self.send(method, **parameters)
                return self.receive()["parameters"]
            except Gone:
                self.connect_again()

    def replies(self, method, **parameters):
        """Yields the replies to one call, until the last one."""
        self.send(method, more=True, **parameters)
        while True:
            reply = self.receive()
            yield reply["parameters"]
            if not reply.get("continues"):
                return

    def watch(self, **parameters):
        """Yields the present state of the timers, then every change, until the daemon sends the last reply. The next
        daemon sends the changes after the last one that was read."""
        place = {}
        while True:
            try:
                for change in self.replies("Watch", **parameters, **place):
                    if change.get("synced"):
                        place = {"ledger": change["ledger"], "after": change["seq"]}
                    elif place and change.get("event"):
                        place["after"] = change["event"]["seq"]
                    yield change
                return
            except Gone:
                self.connect_again()
            except Refused as refusal:
                # This program reads too slowly, or these events are lost. Then all timers come once more.
                if not place or refusal.args[0].rpartition(".")[2] not in ("TooSlow", "LedgerChanged", "EventsPruned"):
                    raise
                place = {}


def clock(usec):
    """HH:MM:SS, rounded up: 00:00:00 means that nothing is left."""
    seconds = -(-max(0, usec) // 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
