"""Everything that a program needs to call nightjard. A Varlink message is a JSON object and a NUL byte."""
import json
import os
import socket
import sys
import threading


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
    """A connection. It does one thing at a time, so a watch needs a connection of its own."""

    def __init__(self, path=None):
        path = path or default_path()
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(path)
        except OSError as error:
            raise Away(f"no daemon at {path}: {error.strerror}; nightjar status starts one") from None
        self.file = self.socket.makefile("rb")

    def send(self, method, more=False, **parameters):
        call = {"method": f"org.nightjar.Timers.{method}", "more": more, "parameters": parameters}
        try:
            self.socket.sendall(json.dumps(call).encode() + b"\0")
        except OSError:
            raise Away("the daemon has gone") from None

    def receive(self):
        frame = bytearray()
        while not frame.endswith(b"\0"):
            try:
                byte = self.file.read(1)
            except OSError:
                byte = b""
            if not byte:
                raise Away("the daemon has gone")
            frame += byte
        reply = json.loads(frame[:-1])
        if "error" in reply:
            raise Refused(reply["error"], reply.get("parameters", {}))
        return reply

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.receive()["parameters"]

    def watch(self, **parameters):
        """Yields the present state of the timers, then every change, until the daemon sends the last reply."""
        self.send("Watch", more=True, **parameters)
        while True:
            reply = self.receive()
            yield reply["parameters"]
            if not reply.get("continues"):
                return


def clock(usec):
    """HH:MM:SS, rounded up: 00:00:00 means that nothing is left."""
    seconds = -(-max(0, usec) // 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
