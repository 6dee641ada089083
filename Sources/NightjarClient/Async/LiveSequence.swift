import NightjarVarlink

/// The sequences that `TimerClient.watch` and `TimerClient.events` return.
///
/// A sequence continues across restarts of the daemon. It misses no event, and delivers no event
/// twice. Unread elements wait at the daemon. If a watch is read too slowly, the daemon merges its
/// changes.
public struct LiveSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// The error that ends it early.
  public typealias Failure = ClientError

  let path: String
  let call: Call
  let read: @Sendable (JSONValue) throws(ClientError) -> Element

  /// An iterator with a connection of its own.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var stream: AsyncLiveStream
    fileprivate let read: @Sendable (JSONValue) throws(ClientError) -> Element

    /// Waits for the next element.
    ///
    /// - Returns: nil after the last element: the single watched timer was removed, or the task was
    ///   cancelled.
    /// - Throws: `.refused(.timerNotFound)`: there is no timer of the watched name;
    ///   `.refused(.eventsPruned)`: the ledger no longer has the first of the requested events;
    ///   `.daemonUnreachable`: the first attempt reached no daemon; `.connectionLost`: the daemon
    ///   did not come back within a minute.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Element? {
      guard let reply = try await stream.next() else { return nil }
      return try read(reply)
    }
  }

  /// Creates an independent iterator, which connects at its first `next`.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: AsyncLiveStream(path: path, call: call), read: read)
  }
}
