import NightjarClient
import NightjarTime

/// How long a daemon may take to answer before the command gives up.
struct Patience {
  /// Nil for ever.
  private let usec: Int64?

  /// How long the command may take altogether.
  let limit: Deadline

  /// - Parameters:
  ///   - usualUsec: how long where NIGHTJAR_TIMEOUT does not say.
  ///   - limit: how long the command may take altogether.
  /// - Throws: `CommandError` if NIGHTJAR_TIMEOUT is no time span.
  init(usualUsec: Int64 = 10_000_000, limit: Deadline = .never) throws(CommandError) {
    self.limit = limit
    guard let text = Environment.value("NIGHTJAR_TIMEOUT"), !text.isEmpty else {
      usec = usualUsec
      return
    }
    do {
      switch try ParsedSpan(said: text).span {
      case .infinity: usec = nil
      case .usec(let length): usec = Int64(clamping: length)
      }
    } catch {
      throw .usage("NIGHTJAR_TIMEOUT is no time span: \(error.description)", see: .time)
    }
  }

  /// A deadline that begins now.
  var deadline: Deadline { .earlier(usec.map { .after(usec: $0) } ?? .never, limit) }

  /// A failure of a call that this was the patience for.
  ///
  /// - Parameters:
  ///   - device: the other machine that was asked; nil: this one.
  ///   - isChange: whether it was asked for a change.
  func explained(
    _ error: ClientError, of device: String? = nil, isChange: Bool = false
  ) -> CommandError {
    error == .timedOut && limit.hasPassed
      ? .limitReached : CommandError(explaining: error, of: device, isChange: isChange)
  }
}
