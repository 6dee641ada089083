import CSystemd
import Glibc

/// Asks the user's service manager about the daemon's unit.
public enum UserManager {
  /// How long to wait for the bus, and for each answer, in microseconds. The start of the daemon
  /// waits for them.
  private static let timeoutUsec: UInt64 = 500_000
  static let manager = "org.freedesktop.systemd1"

  /// CLOCK_MONOTONIC when the manager saw the unit's last run leave the state `active`
  /// (`ActiveExitTimestampMonotonic`, org.freedesktop.systemd1(5)). If the machine slept right
  /// after a crash, the manager saw the crash after the sleep. Nil if the process is not a unit, if
  /// there was no last run, or if the manager does not answer.
  ///
  /// Blocks for at most half a second for the bus, and for as long for each of two answers.
  public static var lastExitMonotonicUsec: Int64? {
    guard ServiceManager.invocationID != nil, let address = SessionBus.address else { return nil }
    return lastExitMonotonicUsec(address: address)
  }

  static func lastExitMonotonicUsec(address: String) -> Int64? {
    var bus: OpaquePointer?
    guard sd_bus_new(&bus) >= 0 else { return nil }
    // Close without flushing: the queue is empty, and a flush would wait for a bus that hangs.
    defer { sd_bus_close_unref(bus) }
    guard sd_bus_set_address(bus, address) >= 0, sd_bus_set_bus_client(bus, 1) >= 0,
      sd_bus_set_method_call_timeout(bus, timeoutUsec) >= 0, sd_bus_start(bus) >= 0,
      isGreeted(bus), let unit = unitPath(bus)
    else { return nil }
    return time("ActiveExitTimestampMonotonic", of: unit, on: bus)
  }

  /// Waits until the bus has accepted the connection. The time limit of a call begins only then,
  /// and before that sd-bus itself would wait for a minute and a half.
  private static func isGreeted(_ bus: OpaquePointer?) -> Bool {
    let untilUsec = Clocks.monotonicUsec() + Int64(timeoutUsec)
    while sd_bus_is_ready(bus) == 0 {
      let leftUsec = untilUsec - Clocks.monotonicUsec()
      let progress = sd_bus_process(bus, nil)
      guard leftUsec > 0, progress >= 0 else { return false }
      if progress == 0, sd_bus_wait(bus, UInt64(leftUsec)) < 0 { return false }
    }
    return sd_bus_is_ready(bus) > 0
  }

  private static func unitPath(_ bus: OpaquePointer?) -> String? {
    var message: OpaquePointer?
    guard
      sd_bus_message_new_method_call(
        bus, &message, manager, "/org/freedesktop/systemd1", "\(manager).Manager",
        "GetUnitByPID") >= 0
    else { return nil }
    defer { sd_bus_message_unref(message) }
    var pid = UInt32(getpid())
    guard sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &pid) >= 0 else {
      return nil
    }
    var reply: OpaquePointer?
    guard sd_bus_call(bus, message, timeoutUsec, nil, &reply) >= 0 else { return nil }
    defer { sd_bus_message_unref(reply) }
    var path: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "o")), &path) > 0, let path else {
      return nil
    }
    return String(cString: path)
  }

  /// A timestamp of the unit, in microseconds; nil if the manager has none with this name.
  private static func time(_ name: String, of unit: String, on bus: OpaquePointer?) -> Int64? {
    var value: UInt64 = 0
    guard
      sd_bus_get_property_trivial(
        bus, manager, unit, "\(manager).Unit", name, nil, CChar(UInt8(ascii: "t")), &value) >= 0,
      value > 0
    else { return nil }
    return Int64(exactly: value)
  }
}
