import NightjarVarlink

/// Replies to a call with `more`, across restarts of the daemon: `LiveStream` for those who await.
struct AsyncLiveStream {
  /// Without end, as a stream waits for what happens: the daemon may be stopped.
  private static let statusPatience = Duration.seconds(1 << 30)

  private let path: String
  private var position: StreamPosition
  private var channel: Channel?
  private var isOver = false
  /// Whether anybody has ever listened.
  private var wasThere = false
  /// Since when it has been away, and how long the next pause is before another look for it.
  private var absence: (giveUp: ContinuousClock.Instant, pauseMsec: Int64)?

  init(path: String, call: Call) {
    self.path = path
    position = StreamPosition(call)
  }

  /// Waits for the next reply.
  ///
  /// - Returns: nil behind the last, and when the task was cancelled.
  /// - Throws: `ClientError`; the stream is over then. `.daemonUnreachable`: nobody was there from the
  ///   beginning. `.connectionLost`: the daemon did not come back within a minute.
  mutating func next() async throws(ClientError) -> JSONValue? {
    while !isOver {
      switch await attempt() {
      case .success(let reply):
        absence = nil
        if let parameters = try take(reply) { return parameters }
      case .failure(let error): try await outlive(error)
      }
    }
    return nil
  }

  /// One reply, over a connection that is made if there is none.
  private mutating func attempt() async -> Result<VarlinkReply, ClientError> {
    if channel == nil {
      do throws(ClientError) {
        let channel = try Channel(path: path)
        if position.needsStatus {
          position.note(status: try await Self.status(over: channel))
        }
        channel.begin(position.continuation)
        (self.channel, wasThere) = (channel, true)
      } catch {
        return .failure(error)
      }
    }
    guard let channel else { return .failure(.connectionLost) }
    return await channel.next().mapError(\.error)
  }

  private static func status(over channel: Channel) async throws(ClientError) -> JSONValue {
    switch await channel.call(.status(), patience: statusPatience) {
    case .failure(let failure): throw failure.error
    case .success(let reply):
      do { return try reply.result.get() } catch { throw .refused(error) }
    }
  }

  /// - Returns: what a reply says; nil if it is a refusal after which there is another try.
  private mutating func take(_ reply: VarlinkReply) throws(ClientError) -> JSONValue? {
    switch reply.result {
    case .success(let parameters):
      if !reply.continues { end() }
      position.note(parameters)
      return parameters
    case .failure(let refusal):
      if case .tooSlow = refusal {
        channel = nil
        return nil
      }
      guard position.beginAnew(after: refusal) else {
        end()
        throw .refused(refusal)
      }
      channel = nil
      return nil
    }
  }

  /// The connection ended, or there is none: pauses before the next.
  private mutating func outlive(_ error: ClientError) async throws(ClientError) {
    channel = nil
    switch error {
    case .cancelled: return end()
    case .anotherUsersDaemon, .protocolViolation, .refused:
      end()
      throw error
    case .daemonUnreachable where !wasThere:
      end()
      throw error
    case .daemonUnreachable, .connectionLost, .timedOut: break
    }
    var absence =
      absence
      ?? (.now + .microseconds(StreamPosition.longestAbsenceUsec), pauseMsec: 0)
    guard absence.giveUp > .now else {
      end()
      throw .connectionLost
    }
    do {
      try await Task.sleep(for: .milliseconds(absence.pauseMsec), clock: .continuous)
    } catch {
      // Cancelled, which is the only way to end it before its time.
      return end()
    }
    absence.pauseMsec = StreamPosition.pause(behind: absence.pauseMsec)
    self.absence = absence
  }

  private mutating func end() {
    isOver = true
    channel = nil
  }
}
