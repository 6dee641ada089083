import Glibc

/// The message bus of the user's session. With systemd, the user's service manager uses the same
/// bus.
public enum SessionBus {
  /// The D-Bus address of the bus, from the environment; nil if the environment names none.
  public static var address: String? {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS") { return String(cString: address) }
    return getenv("XDG_RUNTIME_DIR").map { "unix:path=\(String(cString: $0))/bus" }
  }
}
