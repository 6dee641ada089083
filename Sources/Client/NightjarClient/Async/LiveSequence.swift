import Varlink

/// A sequence that `TimerClient.watch` or `TimerClient.events` returns.
///
/// A sequence continues across restarts of the daemon. It misses no event, and delivers no event
/// twice. The daemon stores the elements that were not read yet. If a watch is read too slowly, the
/// daemon merges several changes into one.
public struct LiveSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// The error with which a sequence ends early.
  public typealias Failure = ClientError

  let path: String
  let call: Call
  let read: @Sendable (RawJSON) throws(ClientError) -> Element

  /// An iterator with a connection of its own.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var stream: AsyncLiveStream
    fileprivate let read: @Sendable (RawJSON) throws(ClientError) -> Element

    /// Waits for the next element.
    ///
    /// - Returns: nil after the last element: the watched timer was removed, or the task was
    ///   cancelled.
    /// - Throws: `.refused(.timerNotFound)`: there is no timer of the watched name;
    ///   `.refused(.eventsPruned)`: the ledger no longer has the first of the requested events;
    ///   `.daemonUnreachable`: the first attempt reached no daemon; `.connectionLost`: the daemon
    ///   did not answer again within a minute.
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
