/// The kernel's ID of one boot (`/proc/sys/kernel/random/boot_id`).
public struct BootID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public var high: UInt64
  /// The last eight bytes, big-endian.
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses 32 hexadecimal digits, with or without dashes; nil for anything else.
  public init?(text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    // `UInt64(_:radix:)` accepts a sign in front, so refuse it here.
    guard digits.count == 32, !digits.contains(UInt8(ascii: "+")),
      let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
      let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// 32 lower-case hexadecimal digits.
  public var description: String { Self.hex(high) + Self.hex(low) }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

/// One consistent reading of all the kernel's clocks, in microseconds.
///
/// The loop reads the clocks once in each iteration, and passes the moment to all other code. They
/// are read again only after the process was stopped, and with a question whether the wall clock is
/// synchronized.
public struct Moment: Equatable, Sendable {
  /// CLOCK_REALTIME since the epoch. It can be set, so it can go back.
  public var realtimeUsec: Int64
  /// CLOCK_BOOTTIME. It counts while the machine is suspended.
  public var boottimeUsec: Int64
  /// CLOCK_MONOTONIC. It does not count while the machine is suspended.
  public var monotonicUsec: Int64
  /// The boot to which BOOTTIME and MONOTONIC belong.
  public var bootID: BootID

  public init(realtimeUsec: Int64, boottimeUsec: Int64, monotonicUsec: Int64, bootID: BootID) {
    self.realtimeUsec = realtimeUsec
    self.boottimeUsec = boottimeUsec
    self.monotonicUsec = monotonicUsec
    self.bootID = bootID
  }

  /// The moment `usec` earlier. This assumes that the machine was awake in between, so all clocks
  /// advanced by the same amount.
  public func earlier(byUsec usec: Int64) -> Moment {
    Moment(
      realtimeUsec: realtimeUsec - usec, boottimeUsec: boottimeUsec - usec,
      monotonicUsec: monotonicUsec - usec, bootID: bootID)
  }

  /// Whether this reading can come after `other` in the same boot. If BOOTTIME or MONOTONIC is
  /// below its value in `other`, the readings belong to different boots, even if the boot IDs are
  /// equal. This can happen after a hibernation image was discarded, or with the clocks of a
  /// container.
  public func continues(_ other: Moment) -> Bool {
    bootID == other.bootID && boottimeUsec >= other.boottimeUsec
      && monotonicUsec >= other.monotonicUsec
  }
}
