import NightjarVarlink

/// The sequences that `TimerClient.watch` and `TimerClient.events` return.
///
/// A sequence continues across restarts of the daemon; it misses no event, and delivers none twice.
/// Unread elements wait at the daemon, which folds the changes of a watch that is read too slowly.
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
    ///   `.refused(.eventsPruned)`: the ledger does not go back so far; `.daemonUnreachable`: no
    ///   daemon was there from the beginning; `.connectionLost`: the daemon did not come back
    ///   within a minute.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> Element? {
      guard let reply = try await stream.next() else { return nil }
      return try read(reply)
    }
  }

  /// Begins anew; connects at the first `next`.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: AsyncLiveStream(path: path, call: call), read: read)
  }
}
