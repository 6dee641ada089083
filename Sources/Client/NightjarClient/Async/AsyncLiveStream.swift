import Varlink

/// The replies to a call with `more`. Like the blocking `LiveStream`, the stream survives restarts
/// of the daemon.
struct AsyncLiveStream {
  private let path: String
  private var position: StreamPosition
  private var channel: Channel?
  private var isOver = false
  /// Whether a connection to a daemon was ever made.
  private var hasConnected = false
  /// The attempts to reach a daemon that does not answer; nil while it does.
  private var absence: RetrySchedule?

  init(path: String, call: Call) {
    self.path = path
    position = StreamPosition(call)
  }

  /// Waits for the next reply.
  ///
  /// - Returns: nil after the last reply, or if the task was cancelled.
  /// - Throws: `ClientError`; the stream has then ended. `.daemonUnreachable`: the first attempt
  ///   reached no daemon. `.connectionLost`: the daemon did not answer again within a minute.
  mutating func next() async throws(ClientError) -> RawJSON? {
    while !isOver {
      switch await attempt() {
      case .success(let reply):
        absence = nil
        if let parameters = try take(reply) { return parameters }
      case .failure(let error): try await waitToRetry(after: error)
      }
    }
    return nil
  }

  /// Waits for one reply. Connects first if there is no connection.
  private mutating func attempt() async -> Result<VarlinkReply, ClientError> {
    if channel == nil {
      do throws(ClientError) {
        let channel = try Channel(path: path)
        if position.needsStatus {
          position.note(status: try await Self.status(over: channel))
        }
        channel.begin(position.continuation)
        (self.channel, hasConnected) = (channel, true)
      } catch {
        return .failure(error)
      }
    }
    guard let channel else { return .failure(.connectionLost) }
    return await channel.next().mapError(\.error)
  }

  private static func status(over channel: Channel) async throws(ClientError) -> Wire.Status.Reply {
    switch await channel.call(Call(Wire.Status()), until: .never) {
    case .failure(let failure): throw failure.error
    case .success(let reply):
      return try Wire.Status.Reply(try reply.accepted())
    }
  }

  /// - Returns: the parameters of the reply; nil if the daemon refused the call and the stream
  ///   should connect again.
  private mutating func take(_ reply: VarlinkReply) throws(ClientError) -> RawJSON? {
    switch try reply.result() {
    case .success(let json):
      if !reply.continues { end() }
      position.note(try json.parsed())
      return json
    case .failure(let refusal):
      guard position.continues(after: refusal) else {
        end()
        throw .refused(refusal)
      }
      channel = nil
      return nil
    }
  }

  /// Pauses before the next attempt to connect. Ends the stream if another attempt would not help.
  private mutating func waitToRetry(after error: ClientError) async throws(ClientError) {
    channel = nil
    switch error {
    case .cancelled: return end()
    case .anotherUsersDaemon, .protocolViolation, .refused:
      end()
      throw error
    case .daemonUnreachable where !hasConnected:
      end()
      throw error
    case .daemonUnreachable, .connectionLost, .timedOut: break
    }
    var absence = absence ?? RetrySchedule(isBounded: true)
    let isDue: Bool
    do throws(ClientError) { isDue = try await absence.pauseTask() } catch {
      // The task was cancelled.
      return end()
    }
    self.absence = absence
    guard isDue else {
      end()
      throw .connectionLost
    }
  }

  private mutating func end() {
    isOver = true
    channel = nil
  }
}
