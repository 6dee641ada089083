internal import Glibc

/// The file that systemd-timesyncd touches whenever it has set the clock right. On a machine whose
/// battery clock shows local time, timesyncd does not set the kernel's flag, so only the file shows
/// that the clock is right.
///
/// `date -s` sets the clock and does not remove the file. So the file counts only if it was touched
/// since the clock was last set.
final class TimesyncMark {
  static let folder = "/run/systemd/timesync"

  private struct Stamp: Equatable {
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
  }

  /// The inode and times that the file had when the clock was last set. While the file still has
  /// them, timesyncd has not touched it since.
  private var stale: Stamp?

  /// Whether timesyncd has touched the file since the clock was last set, so that the clock is
  /// synchronized.
  var isSynchronized: Bool {
    guard let stamp = Self.stamp() else { return false }
    return stamp != stale
  }

  /// Records that the clock was just set; `realtimeUsec` is its new time. If the file was touched
  /// within the second before that time, timesyncd set the clock, so the file counts.
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
