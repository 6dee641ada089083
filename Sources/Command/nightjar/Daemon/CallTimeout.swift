import NightjarClient
import NightjarTime

struct CallTimeout {
  /// The longest wait for one answer, in microseconds; nil: there is no limit.
  private let usec: Int64?

  /// The deadline of the whole command.
  let limit: Deadline

  /// - Parameters:
  ///   - usualUsec: the longest wait for one answer, if NIGHTJAR_TIMEOUT is not set.
  ///   - limit: the deadline of the whole command.
  /// - Throws: `CommandError` if NIGHTJAR_TIMEOUT is no time span.
  init(usualUsec: Int64 = 10_000_000, limit: Deadline = .never) throws(CommandError) {
    self.limit = limit
    guard let text = Environment.value("NIGHTJAR_TIMEOUT"), !text.isEmpty else {
      usec = usualUsec
      return
    }
    do {
      switch try ParsedSpan(phrase: text).span {
      case .infinity: usec = nil
      case .usec(let length): usec = Int64(clamping: length)
      }
    } catch {
      throw .usage("NIGHTJAR_TIMEOUT is no time span: \(error.description)", see: .time)
    }
  }

  /// The deadline of a call that is sent now.
  var deadline: Deadline { .earlier(usec.map { .after(usec: $0) } ?? .never, limit) }

  /// The error for a failed call. If the deadline of the whole command has passed, it is
  /// `limitReached`.
  ///
  /// - Parameters:
  ///   - device: the other machine that was asked; nil: this one.
  ///   - isChange: whether the failed call was a change.
  func explained(
    _ error: ClientError, of device: String? = nil, isChange: Bool = false
  ) -> CommandError {
    error == .timedOut && limit.hasPassed
      ? .limitReached : CommandError(explaining: error, of: device, isChange: isChange)
  }
}
