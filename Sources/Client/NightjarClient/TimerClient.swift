import Synchronization
internal import Varlink

/// A client of the user's daemon: it reads timers and their events, and changes timers.
///
/// A client may be used from several tasks and threads at once. All calls share one connection. The
/// first call makes the connection. If the connection was lost, the next call makes another one.
/// Each watch has a connection of its own.
///
///     let client = try TimerClient()
///     try await client.start("tea", for: .seconds(240))
///     for try await change in client.watch("tea") {
///       if change.timer?.ringing == .ringing { break }
///     }
public final class TimerClient: Sendable {
  private struct Line {
    var channel: Channel?
    var wasConnected = false
  }

  /// The path of the daemon's socket.
  public let socketPath: String
  /// The longest time that a call may take, including repeated attempts.
  public let timeout: Duration
  private let line = Mutex(Line())

  /// Creates a client of this user's daemon, without connecting.
  ///
  /// - Parameter timeout: how long each call waits for its answer.
  /// - Throws: `ClientError.daemonUnreachable` if no environment variable determines the socket's
  ///   path.
  public convenience init(timeout: Duration = .seconds(10)) throws(ClientError) {
    guard let path = Environment.socketPath else {
      throw .daemonUnreachable(path: "$XDG_RUNTIME_DIR/nightjar/socket", code: 2)
    }
    self.init(socketPath: path, timeout: timeout)
  }

  /// Creates a client of the daemon at a path, without connecting.
  public init(socketPath: String, timeout: Duration = .seconds(10)) {
    self.socketPath = socketPath
    self.timeout = timeout
  }

  /// Calls a method and waits for its reply.
  ///
  /// - Parameter mayRepeat: whether to send the call again if the daemon ends before it has
  ///   answered. That is right for a call that only reads, and for a change with a request ID. The
  ///   daemon could make any other change twice.
  func call(_ call: Call, mayRepeat: Bool) async throws(ClientError) -> RawJSON {
    let giveUp = Deadline.after(usec: timeout.usec)
    var absence = RetrySchedule(giveUp: giveUp)
    while true {
      if Task.isCancelled { throw .cancelled }
      let failure: ClientError
      switch connected() {
      case .success(let channel):
        switch await channel.call(call, until: giveUp) {
        case .success(let reply):
          return try reply.accepted()
        case .failure(let broken):
          guard broken.error == .connectionLost, broken.isUnsent || mayRepeat else {
            throw broken.error
          }
          failure = broken.error
        }
      case .failure(let error):
        guard isTransient(error) else { throw error }
        failure = error
      }
      guard try await absence.pauseTask() else { throw failure }
    }
  }

  /// The shared connection. If there is none, or if it cannot be used any more, a new one.
  private func connected() -> Result<Channel, ClientError> {
    let path = socketPath
    return line.withLock { line -> Result<Channel, ClientError> in
      if let channel = line.channel, !channel.isSpent { return .success(channel) }
      do throws(ClientError) {
        let channel = try Channel(path: path)
        (line.channel, line.wasConnected) = (channel, true)
        return .success(channel)
      } catch {
        return .failure(error)
      }
    }
  }

  /// Whether a failure to connect is probably temporary: a daemon that was reached before is
  /// restarting, or the daemon's queue is full.
  private func isTransient(_ error: ClientError) -> Bool {
    switch error {
    case .daemonUnreachable: line.withLock { $0.wasConnected }
    case .timedOut: true
    case .anotherUsersDaemon, .connectionLost, .protocolViolation, .cancelled, .refused: false
    }
  }
}
