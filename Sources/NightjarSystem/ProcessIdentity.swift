import CLinux
import Glibc

/// A process, told from all others that have had its number or will have it in this boot.
public struct ProcessIdentity: Equatable, Sendable {
  /// Its number.
  public let pid: Int32
  /// When it was started, in clock ticks since the boot (`starttime`, proc_pid_stat(5)).
  public let startTicks: Int64

  /// Makes one of what was written down.
  public init(pid: Int32, startTicks: Int64) {
    self.pid = pid
    self.startTicks = startTicks
  }

  /// The process that has this number now; nil if none has, but for one that has ended and was not
  /// waited for, or where /proc cannot be read.
  public init?(of pid: Int32) {
    guard let line = readKernelFile("/proc/\(pid)/stat") else { return nil }
    // The name of the program, in parentheses, may have anything in it.
    guard let name = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[(name + 1)...].split(separator: UInt8(ascii: " "))
    // The third field of all is the first behind the name.
    guard fields.count > 19, !["Z", "X"].contains(String(decoding: fields[0], as: UTF8.self)),
      let ticks = Int64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    self.init(pid: pid, startTicks: ticks)
  }

  /// Whether it has not ended.
  public var isAlive: Bool { ProcessIdentity(of: pid) == self }
}

/// Says when a process ends that is no child of this one: nobody can say how.
public final class ProcessWatch {
  private let descriptor: Descriptor
  private var source: Source?

  /// Begins to watch, by a pidfd(2).
  ///
  /// - Parameter ended: called once.
  /// - Throws: ESRCH if it has ended.
  public init(
    _ process: ProcessIdentity, on loop: EventLoop, _ ended: @escaping () -> Void
  ) throws(SystemError) {
    let raw = nj_pidfd_open(process.pid)
    guard raw >= 0 else { throw SystemError(operation: "pidfd_open", code: -raw) }
    descriptor = Descriptor(owning: raw)
    // What the descriptor is of keeps its number; whether it is the one that is meant is seen now.
    guard process.isAlive else { throw SystemError(operation: "pidfd_open", code: ESRCH) }
    source = try loop.watchReadable(raw) { [unowned self] in
      source?.cancel()
      ended()
    }
  }

  deinit { source?.cancel() }
}
