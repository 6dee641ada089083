internal import Glibc

/// The mark that systemd-timesyncd touches whenever it has set the clock right. On a machine whose
/// battery clock shows local time it is the only sign: there the kernel's flag is left alone.
///
/// It outlives `date -s`. So it counts only if it was touched since the clock was set last.
final class TimesyncMark {
  static let folder = "/run/systemd/timesync"

  private struct Stamp: Equatable {
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
  }

  /// The mark as it was when the clock was set, if it was older than that.
  private var stale: Stamp?

  /// Whether timesyncd has vouched for the clock since it was set last.
  var vouches: Bool {
    guard let stamp = Self.stamp() else { return false }
    return stamp != stale
  }

  /// The clock was set a moment ago, and shows `realtimeUsec` now. A mark whose time is within the second
  /// before that was touched by whoever set it.
  func clockWasSet(realtimeUsec: Int64) {
    guard let stamp = Self.stamp() else { return }
    let touchedUsec = Int64(stamp.seconds) * 1_000_000 + Int64(stamp.nanoseconds) / 1000
    let isFresh = (realtimeUsec - 1_000_000...realtimeUsec).contains(touchedUsec)
    stale = isFresh ? nil : stamp
  }

  private static func stamp() -> Stamp? {
    var status = stat()
    guard stat(folder + "/synchronized", &status) == 0 else { return nil }
    return Stamp(
      inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }
}
