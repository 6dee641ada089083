import CLinux
import CSystemd
import Glibc

/// What passes between a service and its manager: sd_notify(3), socket activation, the watchdog.
/// Without a manager all of it is quietly absent.
///
/// It reads environment variables: on the main thread, and not while another one sets any.
public enum ServiceManager {
  /// Whether somebody wants to be told anything (`NOTIFY_SOCKET`).
  public static var isPresent: Bool { getenv("NOTIFY_SOCKET") != nil }

  /// Sends a state such as `READY=1` or `STATUS=…`, lines separated by newlines.
  ///
  /// - Returns: whether it was sent: false without a `NOTIFY_SOCKET`, or if nobody reads it.
  @discardableResult
  public static func notify(_ state: String) -> Bool { sd_notify(0, state) > 0 }

  /// How often the manager wants to hear from this process (`WatchdogSec=`); nil when it does not.
  public static var watchdogUsec: UInt64? {
    var usec: UInt64 = 0
    return sd_watchdog_enabled(0, &usec) > 0 ? usec : nil
  }

  /// Changes that at run time; 0 switches the watchdog off, the old value switches it on again.
  @discardableResult
  public static func setWatchdog(usec: UInt64) -> Bool { notify("WATCHDOG_USEC=\(usec)") }

  /// Hands the manager a descriptor to hold while this process is not there
  /// (`FileDescriptorStoreMax=`): the next one is given it at its start, under this name. Where
  /// nobody keeps it, it is as if nothing had been said.
  public static func store(_ descriptor: Int32, as name: String) {
    var descriptor = descriptor
    sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", &descriptor, 1)
  }

  /// Lets the manager drop what it holds under this name.
  public static func unstore(_ name: String) { notify("FDSTOREREMOVE=1\nFDNAME=\(name)") }

  /// The unit's invocation, 32 hexadecimal digits; nil outside a unit.
  public static var invocationID: String? {
    getenv("INVOCATION_ID").map { String(cString: $0) }
  }

  /// The descriptors handed over at start (sd_listen_fds_with_names(3)), each with its
  /// `FileDescriptorName=`.
  ///
  /// The caller owns them. They are close-on-exec and non-blocking now, and the environment has
  /// forgotten them: a second call gives none, and a child does not take them for its own.
  ///
  /// - Throws: what is wrong with `LISTEN_FDS`, `LISTEN_PID` or the descriptors they speak of.
  public static func listenDescriptors() throws(SystemError) -> [(name: String, descriptor: Int32)]
  {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = try checked(sd_listen_fds_with_names(1, &names), "sd_listen_fds_with_names")
    var result: [(name: String, descriptor: Int32)] = []
    for index in 0..<Int(count) {
      let descriptor = SD_LISTEN_FDS_START + Int32(index)
      let name = names.flatMap { $0[index] }
      result.append((name.map { String(cString: $0) } ?? "", descriptor))
      free(name)
    }
    free(names)
    for entry in result {
      try checked(nj_set_nonblocking(entry.descriptor), "fcntl of \(entry.name)")
    }
    return result
  }
}
