/// A user's service manager for tests, on a bus of its own (`DBUS_SESSION_BUS_ADDRESS`). It runs
/// services. Orders on its standard input make it slow, silent or absent.
package enum FakeManager {
  /// The command that starts the manager. Orders that apply from the beginning can follow as
  /// arguments. The manager prints `ready`, and after that each call as `call MEMBER UNIT`.
  package static let command = ["/usr/bin/python3", "-u", "-c", program]

  /// The program of the manager. It prints `done` after each order. The orders are:
  /// `silent`: it answers no call; `speak`: it answers the waiting calls and later ones.
  /// `disown`, `own`: it gives up the manager's name on the bus, or owns it again.
  /// `refuse NAME`: a call about a unit gets this error; without a name, none any more.
  /// `forget`: it knows no unit any more, whatever runs.
  /// `blind`: the next call about a unit gets the answer that there is none.
  /// `lose`: the next unit is started, and the answer to that call is lost.
  private static let program = #"""
    import os, re, subprocess, sys, time
    import dbus, dbus.lowlevel
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib

    NAME, PROPERTIES = "org.freedesktop.systemd1", "org.freedesktop.DBus.Properties"
    PATH = "/org/freedesktop/systemd1/unit/"
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    units, waiting = {}, []
    is_silent, refusal = False, None
    is_blind, is_losing = False, False

    def usec(): return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    def path(unit): return PATH + re.sub("[^A-Za-z0-9]", lambda c: "_%02x" % ord(c[0]), unit)
    def unit(path): return re.sub("_([0-9a-f]{2})", lambda c: chr(int(c[1], 16)), path[len(PATH):])

    class Unit:
        def __init__(self, name, properties):
            (program, words, _), = properties["ExecStartEx"]
            environment = dict(text.split("=", 1) for text in properties["Environment"])
            output = properties["StandardOutputFileDescriptor"].take()
            self.name, self.code, self.status, self.ended = name, 0, 0, 0
            properties["StandardErrorFileDescriptor"].take()
            self.started = usec()
            self.process = subprocess.Popen(list(map(str, words)), executable=str(program), env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
            os.close(output)
            GLib.child_watch_add(GLib.PRIORITY_DEFAULT, self.process.pid, self.over)

        def over(self, _, status):
            self.ended = usec()
            self.code, self.status = (1, os.WEXITSTATUS(status)) if os.WIFEXITED(status) else (2, os.WTERMSIG(status))
            signal = dbus.lowlevel.SignalMessage(path(self.name), PROPERTIES, "PropertiesChanged")
            signal.append(NAME + ".Unit", {}, [], signature="sa{sv}as")
            bus.send_message(signal)

        def state(self):
            return {"LoadState": "loaded", "ActiveState": "active", "SubState": "exited" if self.ended else "running",
                "Job": dbus.Struct((dbus.UInt32(0), dbus.ObjectPath("/")), signature="uo"), "Result": "success",
                "ExecMainCode": dbus.Int32(self.code), "ExecMainStatus": dbus.Int32(self.status),
                "ExecMainStartTimestampMonotonic": dbus.UInt64(self.started),
                "ExecMainExitTimestampMonotonic": dbus.UInt64(self.ended)}

    NONE = {"LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead"}

    def answer(message):
        global is_blind, is_losing
        member, arguments = message.get_member(), message.get_args_list()
        reply = dbus.lowlevel.MethodReturnMessage(message)
        if member == "GetAll":
            if refusal:
                reply = dbus.lowlevel.ErrorMessage(message, refusal, "refused")
            else:
                found = None if is_blind else units.get(unit(message.get_path()))
                is_blind = False
                reply.append(dbus.Dictionary(found.state() if found else NONE, "sv"), signature="a{sv}")
        elif member == "StartTransientUnit":
            name = str(arguments[0])
            if name in units:
                reply = dbus.lowlevel.ErrorMessage(message, NAME + ".UnitExists", "it is there")
            else:
                units[name] = Unit(name, {str(key): value for key, value in arguments[2]})
                reply.append(dbus.ObjectPath("/job"), signature="o")
                if is_losing:
                    reply = dbus.lowlevel.ErrorMessage(message, "org.freedesktop.DBus.Error.NoReply", "lost")
                is_losing = False
        elif member == "StopUnit" and (found := units.pop(str(arguments[0]), None)) and not found.ended:
            found.process.terminate()
        elif member == "KillUnit" and (found := units.get(str(arguments[0]))) and not found.ended:
            os.killpg(found.process.pid, int(arguments[2]))
        bus.send_message(reply)

    def called(_, message):
        if message.get_type() != 1 or not (message.get_path() or "").startswith("/org/freedesktop/systemd1"):
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        named = unit(message.get_path()) or next(iter(message.get_args_list()), "")
        print("call", message.get_member(), named)
        if is_silent: waiting.append(message)
        else: answer(message)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def obey(line):
        global is_silent, refusal, is_blind, is_losing
        word, *words = line.split(" ")
        if word == "silent": is_silent = True
        elif word == "speak":
            is_silent = False
            while waiting: answer(waiting.pop(0))
        elif word == "own": bus.request_name(NAME)
        elif word == "disown": bus.release_name(NAME)
        elif word == "refuse": refusal = "".join(words)
        elif word == "forget": units.clear()
        elif word == "blind": is_blind = True
        elif word == "lose": is_losing = True
        print("done", word)

    def command(*_):
        text = os.read(0, 65536).decode()
        # The other end is closed: this would be called without end.
        if not text: return False
        for line in text.splitlines(): obey(line)
        return True

    bus.add_message_filter(called)
    bus.request_name(NAME)
    for line in sys.argv[1:]: obey(line)
    GLib.unix_fd_add_full(0, 0, GLib.IO_IN, command)
    print("ready")
    GLib.MainLoop().run()
    """#
}
