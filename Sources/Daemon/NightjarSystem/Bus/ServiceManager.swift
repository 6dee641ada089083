import CLinux
import CSystemd
import Glibc

/// Communication between a service and its manager: sd_notify(3), socket activation, the watchdog.
/// Without a manager, all functions do nothing.
///
/// The functions read environment variables. Call them on the main thread, and not while another
/// thread sets a variable.
public enum ServiceManager {
  /// Sends a state such as `READY=1` or `STATUS=…`, lines separated by newlines.
  ///
  /// - Returns: whether the state was sent; false if `NOTIFY_SOCKET` is not set, or if no process
  ///   reads the socket.
  @discardableResult
  public static func notify(_ state: String) -> Bool { sd_notify(0, state) > 0 }

  /// How often the manager expects a ping from this process (`WatchdogSec=`), in microseconds; nil
  /// if it expects none.
  public static var watchdogUsec: UInt64? {
    var usec: UInt64 = 0
    return sd_watchdog_enabled(0, &usec) > 0 ? usec : nil
  }

  /// Changes the watchdog's interval at run time. The value 0 switches the watchdog off, and the
  /// former value switches it on again.
  @discardableResult
  public static func setWatchdog(usec: UInt64) -> Bool { notify("WATCHDOG_USEC=\(usec)") }

  /// Gives the manager a copy of a descriptor to hold while the service is not running
  /// (`FileDescriptorStoreMax=`). The manager passes it to the next process at its start, under
  /// this name. If the unit has no descriptor store, the call has no effect.
  public static func store(_ descriptor: Int32, as name: String) {
    var descriptor = descriptor
    sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", &descriptor, 1)
  }

  /// Makes the manager close the descriptors that it holds under this name.
  public static func unstore(_ name: String) { notify("FDSTOREREMOVE=1\nFDNAME=\(name)") }

  /// The unit's invocation ID, 32 hexadecimal digits; nil: this process is not in a unit.
  public static var invocationID: String? {
    getenv("INVOCATION_ID").map { String(cString: $0) }
  }

  /// The descriptors that the manager passed at the start (sd_listen_fds_with_names(3)), each with
  /// its `FileDescriptorName=`.
  ///
  /// The caller owns the descriptors. They are close-on-exec and non-blocking. This call removes
  /// the environment variables, so that a second call returns no descriptors, and a child process
  /// does not use the descriptors as its own.
  ///
  /// - Throws: an error in `LISTEN_FDS`, `LISTEN_PID` or the descriptors that they name.
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
