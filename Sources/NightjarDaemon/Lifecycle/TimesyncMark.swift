internal import Glibc

/// The file that systemd-timesyncd touches whenever it has set the clock right. On a machine whose
/// battery clock shows local time, timesyncd does not set the kernel's flag, so the file is the
/// only sign.
///
/// `date -s` does not remove the file. So it counts only if it was touched since the clock was last
/// set.
final class TimesyncMark {
  static let folder = "/run/systemd/timesync"

  private struct Stamp: Equatable {
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
  }

  /// The stamp that does not count: the file had it before the clock was last set.
  private var stale: Stamp?

  /// Whether timesyncd has synchronized the clock since it was last set.
  var vouches: Bool {
    guard let stamp = Self.stamp() else { return false }
    return stamp != stale
  }

  /// Notes that the clock was just set and shows `realtimeUsec` now. If the file was touched within
  /// the second before, the program that set the clock has touched it.
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
