/// The kernel's name for one boot of one machine (`/proc/sys/kernel/random/boot_id`).
public struct BootID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public var high: UInt64
  /// The last eight bytes, big-endian.
  public var low: UInt64

  /// Makes an ID of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 hexadecimal digits, with dashes or without; nil for anything else.
  public init?(text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    // A sign in front would be a number too, but no digit.
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
/// Clocks are read in one place, once for each pass of the loop; everything else is handed a
/// Moment.
public struct Moment: Equatable, Sendable {
  /// CLOCK_REALTIME since the epoch: can be set, so it can go back.
  public var realtimeUsec: Int64
  /// CLOCK_BOOTTIME: counts suspend.
  public var boottimeUsec: Int64
  /// CLOCK_MONOTONIC: does not count suspend.
  public var monotonicUsec: Int64
  /// The boot in which BOOTTIME and MONOTONIC count.
  public var bootID: BootID

  /// Makes a moment of one reading of each clock.
  public init(realtimeUsec: Int64, boottimeUsec: Int64, monotonicUsec: Int64, bootID: BootID) {
    self.realtimeUsec = realtimeUsec
    self.boottimeUsec = boottimeUsec
    self.monotonicUsec = monotonicUsec
    self.bootID = bootID
  }

  /// The moment `usec` earlier as far as a running machine can tell: all clocks advance alike.
  public func earlier(byUsec usec: Int64) -> Moment {
    Moment(
      realtimeUsec: realtimeUsec - usec, boottimeUsec: boottimeUsec - usec,
      monotonicUsec: monotonicUsec - usec, bootID: bootID)
  }

  /// Whether this reading can come after `other` in the same boot. Clocks that are smaller than
  /// before are those of another boot, whatever the ID says (a hibernation image that was
  /// discarded, a container's clocks).
  public func continues(_ other: Moment) -> Bool {
    bootID == other.bootID && boottimeUsec >= other.boottimeUsec
      && monotonicUsec >= other.monotonicUsec
  }
}
