import Dispatch
import Synchronization
import Varlink

/// A connection that blocks no thread. Calls are sent at once. Each reply resumes the task that
/// waits for it, in the order of the calls.
///
/// A lock guards the state. Dispatch reports when the socket is ready, but only while a task waits.
/// An idle connection causes no work.
final class Channel: Sendable {
  /// The result of waiting for a reply.
  typealias Outcome = Result<VarlinkReply, Failure>

  struct Failure: Error {
    let error: ClientError
    /// Whether the daemon cannot have received the call, because not all of it was sent.
    let isUnsent: Bool
  }

  /// Owns the connection for the channel and its dispatch sources, and is used only under the lock.
  /// The socket is closed when the channel and all sources are released, because a source that is
  /// being cancelled still uses the socket.
  private final class Box: @unchecked Sendable {
    let connection: VarlinkConnection

    init(_ connection: VarlinkConnection) { self.connection = connection }
  }

  private struct Waiting {
    let number: UInt64
    /// Resumes the waiting task. Nil: the task waits no longer, and the reply is to be dropped.
    var continuation: CheckedContinuation<Outcome, Never>?
    /// When the task stops waiting, on Dispatch's clock; nil: never.
    let until: UInt64?
    /// The value of `State.taken` at which all bytes of the call have been sent.
    let sentAt: Int
  }

  /// A dispatch source that reports when the socket is ready; it is suspended while no report is
  /// wanted. Each direction has one source for the life of the connection. A second source would be
  /// wrong: on Linux, a source may never fire if it is created while another one of the same
  /// descriptor is being cancelled (swift-corelibs-libdispatch, issue 833).
  private struct Readiness {
    private let source: any DispatchSourceProtocol
    private var isWanted = false

    /// - Parameter source: a source that is not activated yet.
    init(_ source: any DispatchSourceProtocol) { self.source = source }

    mutating func want(_ isWanted: Bool) {
      guard isWanted != self.isWanted else { return }
      self.isWanted = isWanted
      if isWanted { source.resume() } else { source.suspend() }
    }

    /// Stops all reports for good. This resumes the source, because Dispatch forbids the release of
    /// a suspended source.
    func end() {
      source.cancel()
      if !isWanted { source.resume() }
    }
  }

  private struct State {
    /// The waiting tasks in the order of their calls. It is a slice, because a slice removes its
    /// first element without moving the others.
    var waiting: ArraySlice<Waiting> = []
    var nextNumber: UInt64 = 0
    /// The number of bytes that were queued for the kernel, and the number of bytes that the kernel
    /// has accepted.
    var (given, taken) = (0, 0)
    var failure: ClientError?
    var reading: Readiness?
    var writing: Readiness?
    /// When to check next which tasks have waited too long; nil: no check is scheduled.
    var alarm: UInt64?
    /// Whether an answer is overdue. The waiting tasks continue to wait, and new calls should use
    /// another connection.
    var isOverdue = false
  }

  /// Continuations to resume, with their results. They must not be resumed while the lock is held.
  private typealias Answers = [(CheckedContinuation<Outcome, Never>, Outcome)]

  private static let queue = DispatchQueue(label: "org.nightjar.client", attributes: .concurrent)

  private let box: Box
  private let state = Mutex(State())

  /// Connects to the daemon's socket.
  ///
  /// - Throws: `ClientError.daemonUnreachable`; `.anotherUsersDaemon`; `.timedOut` if the daemon's
  ///   queue has no room for another connection.
  init(path: String) throws(ClientError) {
    // If the daemon's queue is full, connect(2) blocks this thread, so the deadline is only a
    // millisecond.
    box = Box(try .toDaemon(path: path, deadline: .after(usec: 1_000)))
  }

  deinit {
    // No task waits in these handlers, because a waiting task would retain this object.
    state.withLock { state in
      state.reading?.end()
      state.writing?.end()
    }
  }

  /// Whether the connection has ended or an answer is overdue. The next call should then use
  /// another connection.
  var isSpent: Bool { state.withLock { $0.failure != nil || $0.isOverdue } }

  /// Sends a call and waits for its one reply. If the task is cancelled, the reply is dropped.
  ///
  /// - Parameter deadline: when to stop waiting.
  func call(_ call: Call, until deadline: Deadline) async -> Outcome {
    let number = claimNumber()
    let nanoseconds = UInt64(min(deadline.leftUsec, 1 << 50)) * 1_000
    let until = DispatchTime.now().uptimeNanoseconds + nanoseconds
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(call, more: false, (number, continuation, until))
      }
    } onCancel: {
      giveUp(number)
    }
  }

  /// Sends a call with `more`; `next` then returns its replies.
  func begin(_ call: Call) {
    submit(call, more: true, nil)
  }

  /// Waits for the next reply of a stream. If the task is cancelled, the connection ends.
  func next() async -> Outcome {
    let number = claimNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer { state in
          self.enlist(
            Waiting(number: number, continuation: continuation, until: nil, sentAt: 0), &state)
          return self.handOut(&state)
        }
      }
    } onCancel: {
      close(.cancelled)
    }
  }

  /// Ends the connection. The waiting tasks get the error.
  func close(_ error: ClientError) {
    answer { state in self.fail(error, &state) }
  }

  // MARK: Under the lock

  private func claimNumber() -> UInt64 {
    state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
  }

  private func answer(_ body: (inout State) -> Answers) {
    for (continuation, outcome) in state.withLock({ body(&$0) }) {
      continuation.resume(returning: outcome)
    }
  }

  private func submit(
    _ call: Call, more: Bool,
    _ waiter: (number: UInt64, continuation: CheckedContinuation<Outcome, Never>, until: UInt64)?
  ) {
    answer { state in
      let outlet = self.box.connection.outlet
      let before = outlet.backlogBytes
      self.box.connection.write(call.method, call.parameters, more: more)
      state.given += outlet.backlogBytes - before
      if let waiter {
        self.enlist(
          Waiting(
            number: waiter.number, continuation: waiter.continuation, until: waiter.until,
            sentAt: state.given), &state)
      }
      return self.send(&state) + self.handOut(&state)
    }
    // If the task was cancelled before the task was in the list, `onCancel` did not find it there.
    if let waiter, Task.isCancelled { giveUp(waiter.number) }
  }

  private func enlist(_ waiter: Waiting, _ state: inout State) {
    state.waiting.append(waiter)
    setAlarm(&state)
  }

  /// Sends as much as the kernel accepts. If bytes are left, watches until the socket has room.
  private func send(_ state: inout State) -> Answers {
    guard state.failure == nil else { return [] }
    let connection = box.connection
    let before = connection.outlet.backlogBytes
    connection.flush()
    state.taken += before - connection.outlet.backlogBytes
    guard !connection.hasOutputEnded else {
      // The daemon may have sent replies before it closed the connection. Deliver these first.
      let answers = handOut(&state)
      return answers + (state.failure == nil ? fail(.connectionLost, &state) : [])
    }
    let isLeft = !connection.outlet.isDrained
    if isLeft, state.writing == nil {
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: connection.descriptor, queue: Self.queue)
      state.writing = readiness(source) { channel, state in channel.send(&state) }
    }
    state.writing?.want(isLeft)
    return []
  }

  /// Delivers the replies that have arrived to the waiting tasks. If tasks still wait, watches for
  /// more.
  private func handOut(_ state: inout State) -> Answers {
    var answers: Answers = []
    do throws(ClientError) {
      while !state.waiting.isEmpty, state.failure == nil {
        guard let reply = try box.connection.arrivedReply() else { break }
        if let continuation = state.waiting.removeFirst().continuation {
          answers.append((continuation, .success(reply)))
        }
      }
    } catch {
      answers += fail(error, &state)
    }
    guard state.failure == nil else { return answers + abandon(&state) }
    if !state.waiting.isEmpty, state.reading == nil {
      let source = DispatchSource.makeReadSource(
        fileDescriptor: box.connection.descriptor, queue: Self.queue)
      state.reading = readiness(source) { channel, state in channel.handOut(&state) }
    }
    state.reading?.want(!state.waiting.isEmpty)
    return answers
  }

  private func readiness(
    _ source: any DispatchSourceProtocol,
    _ body: @escaping @Sendable (Channel, inout State) -> Answers
  ) -> Readiness {
    source.setEventHandler { [weak self] in
      guard let self else { return }
      answer { state in body(self, &state) }
    }
    // Keep the descriptor open until the source has been cancelled. Otherwise another file could
    // get the descriptor's number while the source still watches that number.
    source.setCancelHandler { [box] in withExtendedLifetime(box) {} }
    return Readiness(source)
  }

  private func fail(_ error: ClientError, _ state: inout State) -> Answers {
    if state.failure == nil { state.failure = error }
    state.reading?.end()
    state.writing?.end()
    (state.reading, state.writing) = (nil, nil)
    return abandon(&state)
  }

  private func abandon(_ state: inout State) -> Answers {
    guard let error = state.failure else { return [] }
    defer { state.waiting = [] }
    return state.waiting.compactMap { waiter in
      let failure = Failure(error: error, isUnsent: waiter.sentAt > state.taken)
      return waiter.continuation.map { ($0, .failure(failure)) }
    }
  }

  // MARK: Giving up

  /// Ends the wait of the task with this number. Its reply will be dropped.
  private func giveUp(_ number: UInt64) {
    answer { state in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }),
        let continuation = state.waiting[index].continuation
      else { return [] }
      state.waiting[index].continuation = nil
      return [(continuation, .failure(Failure(error: .cancelled, isUnsent: false)))]
    }
  }

  /// Schedules a check for the time at which the first task has waited long enough.
  private func setAlarm(_ state: inout State) {
    guard
      let until = state.waiting.lazy.filter({ $0.continuation != nil }).compactMap(\.until).min(),
      until < state.alarm ?? .max
    else { return }
    state.alarm = until
    Self.queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: until)) { [weak self] in
      self?.checkTimeout(until)
    }
  }

  /// Ends the wait of the tasks that have waited long enough. Their replies will be dropped.
  private func checkTimeout(_ alarm: UInt64) {
    answer { state in
      if state.alarm == alarm { state.alarm = nil }
      let now = DispatchTime.now().uptimeNanoseconds
      var answers: Answers = []
      for index in state.waiting.indices {
        guard let until = state.waiting[index].until, until <= now,
          let continuation = state.waiting[index].continuation
        else { continue }
        state.waiting[index].continuation = nil
        state.isOverdue = true
        answers.append((continuation, .failure(Failure(error: .timedOut, isUnsent: false))))
      }
      self.setAlarm(&state)
      return answers
    }
  }
}
