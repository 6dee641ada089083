import NightjarVarlink
import Synchronization

/// The way to the user's daemon: its timers, what happens to them, and what can be done about it.
///
/// It may be used from everywhere at once: calls share a connection, which is made by the first of them,
/// and made again when the daemon went away. Each watch has a connection of its own.
///
///     let client = try TimerClient()
///     try await client.start("tea", for: .seconds(240))
///     for try await change in client.watch("tea") {
///       if change.timer?.state == .fired { break }
///     }
public final class TimerClient: Sendable {
  private struct Line {
    var channel: Channel?
    var wasConnected = false
  }

  /// Where the daemon listens.
  public let socketPath: String
  /// How long a call may take altogether.
  public let patience: Duration
  private let line = Mutex(Line())

  /// A client of this user's daemon. Nothing is connected yet.
  ///
  /// - Parameter patience: how long each call waits for its answer.
  /// - Throws: `ClientError.daemonUnreachable` if no variable of the environment says where it would be.
  public convenience init(patience: Duration = .seconds(10)) throws(ClientError) {
    guard let path = Environment.socketPath else {
      throw .daemonUnreachable(path: "$XDG_RUNTIME_DIR/nightjar/socket", code: 2)
    }
    self.init(socketPath: path, patience: patience)
  }

  /// A client of the daemon that listens at a path.
  public init(socketPath: String, patience: Duration = .seconds(10)) {
    self.socketPath = socketPath
    self.patience = patience
  }

  /// Calls a method and waits for its reply.
  ///
  /// - Parameter mayRepeat: the client sends the call again if the daemon ends before it has answered.
  ///   That is right for a question, and for a change with an id. Another change could be made twice.
  func call(_ call: Call, mayRepeat: Bool) async throws(ClientError) -> JSONValue {
    let giveUp = ContinuousClock.now + patience
    var pauseMsec: Int64 = 0
    while true {
      if Task.isCancelled { throw .cancelled }
      let failure: ClientError
      switch connected() {
      case .success(let channel):
        switch await channel.call(call, patience: ContinuousClock.now.duration(to: giveUp)) {
        case .success(let reply):
          do { return try reply.result.get() } catch { throw .refused(error) }
        case .failure(let broken):
          guard broken.error == .connectionLost, broken.isUnsent || mayRepeat else {
            throw broken.error
          }
          failure = broken.error
        }
      case .failure(let error):
        guard mayPass(error) else { throw error }
        failure = error
      }
      guard ContinuousClock.now < giveUp else { throw failure }
      pauseMsec = try await Self.pause(behind: pauseMsec)
    }
  }

  /// The connection in use; another if that has ended.
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

  /// Whether an error of connecting may pass: a daemon that was there is probably on its way back, and
  /// one whose queue is full will have room.
  private func mayPass(_ error: ClientError) -> Bool {
    switch error {
    case .daemonUnreachable: line.withLock { $0.wasConnected }
    case .timedOut: true
    case .anotherUsersDaemon, .connectionLost, .protocolViolation, .cancelled, .refused: false
    }
  }

  private static func pause(behind msec: Int64) async throws(ClientError) -> Int64 {
    let next = StreamPosition.pause(behind: msec)
    do { try await Task.sleep(for: .milliseconds(next), clock: .continuous) } catch {
      throw .cancelled
    }
    return next
  }
}
