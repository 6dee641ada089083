package import NightjarWire

/// One word of a watch: a timer as it is, what has happened to it, or that all there was has been told.
public struct Change: Equatable, Sendable {
  /// The timer as it is now; nil if it is not there any more, or if this is about the machine.
  public let timer: NightjarTimer?
  /// What happened; nil: this is what there was at the beginning, or a tick.
  public let event: Event?
  /// All there was at the beginning has been told: from here on it is news.
  public let isSynced: Bool
  /// This reader was too slow, and what happened behind that number was folded into this one:
  /// `TimerClient.events(after:)` has it. With `isSynced` all there is has been told once more.
  public let missedAfter: Int64?

  /// Reads a change from what the daemon sent.
  ///
  /// - Parameter json: the parameters of a reply to `Watch`.
  /// - Throws: `ClientError.protocolViolation` if it makes no sense.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "change")
    timer = try fields["timer"].map { (json) throws(ClientError) in try NightjarTimer(json) }
    event = try fields["event"].map { (json) throws(ClientError) in try Event(json) }
    isSynced = try fields.optionalBool("synced") ?? false
    missedAfter = try fields.optionalInteger("missed_after")
  }
}

/// What there is, and then every change; see `TimerClient.watch(_:tick:)`.
public struct Changes: AsyncSequence, Sendable {
  /// What comes.
  public typealias Element = Change
  /// What ends it before its time.
  public typealias Failure = ClientError

  let path: String
  let call: Call

  /// One that reads over a connection of its own.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var stream: AsyncLiveStream

    /// Waits for the next change.
    ///
    /// - Returns: nil behind the last: the one timer that was watched was put away, or the task was
    ///   cancelled.
    /// - Throws: `ClientError.refused(.timerNotFound)`: there is none of that name;
    ///   `.daemonUnreachable`: nobody was there from the beginning; `.connectionLost`: the daemon went
    ///   away and did not come back within a minute.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Change? {
      guard let reply = try await stream.next() else { return nil }
      return try Change(reply)
    }
  }

  /// Begins anew; nothing is connected before the first `next`.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: AsyncLiveStream(path: path, call: call))
  }
}

/// The ledger from some number on, and then what happens; see `TimerClient.events(after:under:)`.
public struct Events: AsyncSequence, Sendable {
  /// What comes.
  public typealias Element = Event
  /// What ends it before its time.
  public typealias Failure = ClientError

  let path: String
  let call: Call

  /// One that reads over a connection of its own.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var stream: AsyncLiveStream

    /// Waits for the next event.
    ///
    /// - Returns: nil when the task was cancelled.
    /// - Throws: `ClientError.refused(.eventsPruned)`: the ledger does not go back so far; and as
    ///   `Changes.AsyncIterator.next`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Event? {
      guard let reply = try await stream.next() else { return nil }
      return try Event(reply["event"] ?? .null)
    }
  }

  /// Begins anew; nothing is connected before the first `next`.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: AsyncLiveStream(path: path, call: call))
  }
}
