"""All that a program needs to talk to nightjard: Varlink is JSON objects that end in a NUL byte."""
import json
import os
import socket


def default_path():
    return os.environ.get("NIGHTJAR_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "nightjar", "socket")


class Refused(Exception):
    pass


class Nightjar:
    """A connection. It does one thing at a time: whoever watches has one of their own for that."""

    def __init__(self, path=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path or default_path())
        self.file = self.socket.makefile("rb")

    def send(self, method, more=False, **parameters):
        call = {"method": f"org.nightjar.Timers.{method}", "more": more, "parameters": parameters}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        frame = bytearray()
        while not frame.endswith(b"\0"):
            byte = self.file.read(1)
            if not byte:
                raise EOFError("the daemon has gone")
            frame += byte
        reply = json.loads(frame[:-1])
        if "error" in reply:
            raise Refused(reply["error"], reply.get("parameters", {}))
        return reply

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.receive()["parameters"]

    def watch(self, **parameters):
        """What there is, then every change: one reply for each, until the last."""
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
