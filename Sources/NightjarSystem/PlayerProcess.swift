import CLinux
import Glibc
import NightjarCore

/// A program that plays a sound: a child process that nobody waits for, and that has a time limit.
public final class PlayerProcess {
  /// How it ended.
  public enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
    /// It was ended at its time limit.
    case timedOut
  }

  /// So much of what it says is kept, in bytes: a sentence.
  private static let saidBytes = 512

  private let pid: Int32
  private let output: OutputPipe
  private let onEnd: (End, String) -> Void
  private var source: Source?
  private var limit: TimerSource?
  private var isPastLimit = false

  /// Starts a program. It lives on when this is let go of, and is then nobody's.
  ///
  /// - Parameters:
  ///   - lent: the number of a descriptor that it is given as its `Program.lentDescriptor`.
  ///   - limitUsec: so long it may take.
  ///   - onEnd: called once, in a later pass, with how it ended and the first line that it said.
  public init(
    _ program: Program, lending lent: Int32? = nil, limitUsec: Int64, on loop: EventLoop,
    onEnd: @escaping (End, String) -> Void
  ) throws(SystemError) {
    self.onEnd = onEnd
    output = try OutputPipe()
    pid = try program.spawn(output: output.writingEnd, lending: lent)
    output.closeWriting()
    do {
      source = try loop.watchChild(pid) { [unowned self] in ended($0) }
      limit = try loop.timer(on: .monotonic) { [unowned self] in reachedLimit() }
      limit?.arm(atUsec: loop.now.monotonicUsec + limitUsec)
    } catch {
      Program.signal(group: pid, SIGKILL)
      throw error
    }
  }

  deinit {
    source?.cancel()
    limit?.cancel()
  }

  private func reachedLimit() {
    isPastLimit = true
    // It has not been waited for, so that the number is still its own.
    Program.signal(group: pid, SIGKILL)
  }

  private func ended(_ how: ChildEnd) {
    source?.cancel()
    limit?.cancel()
    let end: End =
      switch how {
      case _ where isPastLimit: .timedOut
      case .exited(let status): .exited(status)
      case .killed(let signal): .killed(signal)
      }
    onEnd(end, firstLine())
  }

  /// Only of what is there: whoever has got hold of its output may live on.
  private func firstLine() -> String {
    guard case .bytes(let bytes) = output.read(upTo: Self.saidBytes) else { return "" }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
