import NightjarTestSupport

/// Programs of a desktop in a few lines of Python, on the session bus of a test: a notification
/// server that can be told not to disturb, or a player.
enum DesktopDouble {
  /// Starts a double and waits until it is on the bus.
  ///
  /// - Parameter kind: the name with which a notification server introduces itself; or the name of
  ///   a player, which begins with `player`.
  @discardableResult
  static func start(_ kind: String, in rig: Rig, on address: String) throws -> ChildProcess {
    let double = try rig.start(
      ["/usr/bin/python3", "-u", "-c", program, kind],
      environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"],
      package: "python3-dbus")
    try double.lines.next(kind) { $0 == "ready" }
    return double
  }

  private static let program = #"""
    import sys
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib

    KIND = sys.argv[1]
    PROPERTIES, PLAYER = "org.freedesktop.DBus.Properties", "org.mpris.MediaPlayer2"
    NOTIFICATIONS, MAKO, SWAYNC = "org.freedesktop.Notifications", "fr.emersion.Mako", "org.erikreider.swaync.cc"

    class Double(dbus.service.Object):
        modes, dnd, status = ["default"], False, "Playing"

        @dbus.service.method(NOTIFICATIONS, out_signature="ssss")
        def GetServerInformation(self): return KIND, "test", "1", "1.2"
        @dbus.service.method(MAKO, out_signature="as")
        def ListModes(self): return self.modes
        @dbus.service.method(MAKO, in_signature="as")
        def SetModes(self, modes): self.modes = modes
        @dbus.service.method(SWAYNC, out_signature="b")
        def GetDnd(self): return self.dnd
        @dbus.service.method(SWAYNC, in_signature="b")
        def SetDnd(self, dnd): self.dnd = dnd
        @dbus.service.method(PLAYER + ".Player")
        def Play(self): self.status = "Playing"
        @dbus.service.method(PLAYER + ".Player")
        def Pause(self): self.status = "Paused"
        @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
        def GetAll(self, interface):
            return {"PlaybackStatus": self.status, "CanControl": True, "CanPlay": True, "CanPause": True,
                "Metadata": dbus.Dictionary({}, signature="sv")}

    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    names = [f"{PLAYER}.{KIND}"] if KIND.startswith("player") else [NOTIFICATIONS, SWAYNC]
    kept = [dbus.service.BusName(name, bus) for name in names]
    paths = ["freedesktop/Notifications", "erikreider/swaync/cc", "mpris/MediaPlayer2"]
    kept += [Double(bus, path) for path in ["/fr/emersion/Mako"] + ["/org/" + path for path in paths]]
    print("ready")
    GLib.MainLoop().run()
    """#
}
