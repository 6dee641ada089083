import NightjarVarlink

/// What happens, as it happens: what `TimerClient.watch` and `TimerClient.events` give.
///
/// It goes on across restarts of the daemon; nothing is missed, and nothing comes twice. What is not read
/// waits at the daemon, which folds the changes of a watch for one that reads too slowly.
public struct LiveSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// What ends it before its time.
  public typealias Failure = ClientError

  let path: String
  let call: Call
  let read: @Sendable (JSONValue) throws(ClientError) -> Element

  /// One that reads over a connection of its own.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var stream: AsyncLiveStream
    fileprivate let read: @Sendable (JSONValue) throws(ClientError) -> Element

    /// Waits for the next.
    ///
    /// - Returns: nil behind the last: the one timer that was watched was put away, or the task was
    ///   cancelled.
    /// - Throws: `.refused(.timerNotFound)`: there is none of the name that is to be watched;
    ///   `.refused(.eventsPruned)`: the ledger does not go back so far; `.daemonUnreachable`: nobody was
    ///   there from the beginning; `.connectionLost`: the daemon went away and did not come back within a
    ///   minute.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Element? {
      guard let reply = try await stream.next() else { return nil }
      return try read(reply)
    }
  }

  /// Begins anew; nothing is connected before the first `next`.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: AsyncLiveStream(path: path, call: call), read: read)
  }
}
