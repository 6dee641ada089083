import Glibc

/// The message bus of the user's session, or of the user's manager: where there is one, it is one.
public enum SessionBus {
  /// Its address as the environment has it; nil where that says nothing.
  public static var address: String? {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS") { return String(cString: address) }
    return getenv("XDG_RUNTIME_DIR").map { "unix:path=\(String(cString: $0))/bus" }
  }
}
