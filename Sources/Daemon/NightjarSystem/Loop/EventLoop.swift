import CLinux
import CSystemd
import Glibc
public import NightjarModel
public import Varlink

/// The event loop of the main thread: sd-event(3), run one iteration at a time. Each iteration has
/// a beginning, an end, and one reading of the clocks.
///
/// An iteration is one wait and the dispatch after it. sd-event dispatches
/// one source per iteration, the ready one with the highest priority. Other ready sources follow in
/// the next iterations, which do not wait.
public final class EventLoop {
  /// The `sd_event *`, for sd-bus. The caller must not release it: it lives as long as the loop.
  public let handle: OpaquePointer

  /// Called after the wait and before the dispatch, with the moment at which the wait ended.
  public var onIterationBegin: (Moment) -> Void = { _ in }

  /// Called after the iteration's source has been dispatched. This is the place to carry out queued
  /// effects.
  public var onIterationEnd: () -> Void = {}

  /// The moment at which the wait of this iteration ended. Before the first iteration, the moment
  /// at which the loop was created.
  public private(set) var now: Moment

  private var nextIteration: OpaquePointer?
  private var queued: [() -> Void] = []

  public init() throws(SystemError) {
    var event: OpaquePointer?
    // Not sd_event_default, because that is one loop per thread, and a test may need two.
    try checked(sd_event_new(&event), "sd_event_new")
    handle = event!
    now = Clocks.read()
    try checked(sd_event_add_defer(handle, &nextIteration, doNothing, nil), "sd_event_add_defer")
    // Among sources of one priority, sd-event dispatches the one that has been pending longest, and
    // a defer source counts as pending from its creation. So if an iteration were requested in
    // every iteration, this source would starve all other sources of its priority.
    try checked(sd_event_source_set_priority(nextIteration, .max), "sd_event_source_set_priority")
    try checked(
      sd_event_source_set_enabled(nextIteration, Int32(SD_EVENT_OFF)), "sd_event_source_set_enabled"
    )
  }

  deinit {
    sd_event_source_disable_unref(nextIteration)
    sd_event_unref(handle)
  }

  // MARK: Running

  /// Runs until `exit` is called, and returns the code passed to it. A loop that has ended cannot
  /// run again.
  public func run() throws(SystemError) -> Int32 {
    while sd_event_get_state(handle) != SD_EVENT_FINISHED { try runIteration() }
    var code: Int32 = 0
    try checked(sd_event_get_exit_code(handle, &code), "sd_event_get_exit_code")
    return code
  }

  /// Waits, and then dispatches one source. If the wait ends without a ready source, for example to
  /// ping the watchdog, that does not count as an iteration.
  func runIteration() throws(SystemError) {
    var ready = try checked(sd_event_prepare(handle), "sd_event_prepare")
    if ready == 0 { ready = try checked(sd_event_wait(handle, .max), "sd_event_wait") }
    guard ready > 0 else { return }
    now = Clocks.read()
    onIterationBegin(now)
    try checked(sd_event_dispatch(handle), "sd_event_dispatch")
    runQueued()
    onIterationEnd()
  }

  /// Makes `run` return `code` at the end of this iteration; other ready sources are not
  /// dispatched. If it is called several times, the last call counts. On a loop that has ended, the
  /// call has no effect.
  public func exit(_ code: Int32) {
    guard sd_event_get_state(handle) != SD_EVENT_FINISHED else { return }
    sd_event_exit(handle, code)
  }

  /// Makes the loop run one more iteration without waiting. That iteration comes after the
  /// iterations of sources that are ready now. Several requests cause one iteration.
  public func requestIteration() {
    sd_event_source_set_enabled(nextIteration, Int32(SD_EVENT_ONESHOT))
  }

  /// Runs `body` after the dispatch of this iteration or, if that is over, of the next one. Use it
  /// for work that must not happen inside a callback.
  public func later(_ body: @escaping () -> Void) {
    queued.append(body)
    requestIteration()
  }

  private func runQueued() {
    let bodies = queued
    queued = []
    for body in bodies { body() }
  }

  /// Makes the loop ping the service manager at the manager's interval (`WatchdogSec=`), or stop
  /// doing so. If the loop hangs, the pings stop, and the manager notices this.
  ///
  /// - Returns: whether the loop pings from now on; false also if the manager expects no pings.
  @discardableResult
  public func enableWatchdog(_ on: Bool) throws(SystemError) -> Bool {
    try checked(sd_event_set_watchdog(handle, on ? 1 : 0), "sd_event_set_watchdog") > 0
  }

  // MARK: Sources

  /// Watches a descriptor for input, level-triggered. The handler is also called for a hang-up or
  /// an error. The caller owns the descriptor and must cancel the source before closing it.
  ///
  /// - Parameter priority: a source with a lower number is dispatched first. Among equal
  ///   priorities, the source that has waited longest is dispatched first.
  public func watchReadable(
    _ fd: Int32, priority: Int64 = 0, _ handler: @escaping () -> Void
  ) throws(SystemError) -> Source {
    let source = Source(.readable(handler))
    let events = UInt32(NJ_EPOLL_READABLE)
    try checked(
      sd_event_add_io(handle, &source.raw, fd, events, descriptorReady, source.userdata),
      "sd_event_add_io")
    try checked(
      sd_event_source_set_priority(source.raw, priority), "sd_event_source_set_priority")
    return source
  }

  /// Watches a descriptor for input and, while `Source.watchesWritable` is set, for room to write.
  /// The handler gets the conditions that are true; a hang-up or an error is `closed`. The caller
  /// owns the descriptor and must cancel the source before closing it.
  public func watch(
    _ fd: Int32, _ handler: @escaping (EpollSet.Events) -> Void
  ) throws(SystemError) -> Source {
    let source = Source(.ready(handler))
    try checked(
      sd_event_add_io(
        handle, &source.raw, fd, EpollSet.Events.readable.rawValue, descriptorReady,
        source.userdata),
      "sd_event_add_io")
    return source
  }

  /// Watches a connection for what it waits for. The handler is called after the connection has
  /// sent and received what it can. Whoever changes the connection outside of the handler then
  /// calls `Source.update`.
  public func watch(
    _ connection: VarlinkConnection, _ handler: @escaping () -> Void
  ) throws(SystemError) -> Source {
    let source = Source(.connection(connection, handler))
    try checked(
      sd_event_add_io(
        handle, &source.raw, connection.descriptor, EpollSet.Events(connection.awaited).rawValue,
        descriptorReady, source.userdata),
      "sd_event_add_io")
    return source
  }

  /// Watches a folder: the handler is called when a file in it is created, renamed, rewritten or
  /// deleted. All folders of a loop share one inotify instance, because a user has only 128 of
  /// them (`fs.inotify.max_user_instances`).
  func watchFolder(
    _ path: String, _ handler: @escaping () -> Void
  ) throws(SystemError) -> Source {
    let source = Source(.readable(handler))
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR)
    try checked(
      sd_event_add_inotify(handle, &source.raw, path, mask, folderChanged, source.userdata),
      "sd_event_add_inotify \(path)")
    return source
  }

  /// Watches a signal, and blocks it in the calling thread. Every other thread must block it too;
  /// otherwise the signal may be delivered to that thread instead (see `Signals.block`).
  public func watchSignal(
    _ signal: Int32, priority: Int64 = 0, _ handler: @escaping (SignalInfo) -> Void
  ) throws(SystemError) -> Source {
    Signals.block([signal])
    let source = Source(.signal(handler))
    try checked(
      sd_event_add_signal(handle, &source.raw, signal, signalReceived, source.userdata),
      "sd_event_add_signal \(signal)")
    try checked(
      sd_event_source_set_priority(source.raw, priority), "sd_event_source_set_priority")
    return source
  }

  /// Watches a child of this process. The handler is called once, when the child has ended.
  /// sd-event has reaped the child by then, so it is not even a zombie.
  ///
  /// sd-event uses a pidfd, or SIGCHLD on kernels without pidfds. For the latter, every thread must
  /// have SIGCHLD blocked.
  public func watchChild(
    _ pid: Int32, _ handler: @escaping (ChildEnd) -> Void
  ) throws(SystemError) -> Source {
    // sd-event requires SIGCHLD to be blocked in either case.
    Signals.block([SIGCHLD])
    let source = Source(.child(handler))
    try checked(
      sd_event_add_child(
        self.handle, &source.raw, pid, Int32(WEXITED), childEnded, source.userdata),
      "sd_event_add_child \(pid)")
    return source
  }

  /// Makes a timer on one of the kernel's clocks. The timer is off until it is armed.
  public func timer(
    on clock: KernelClock, priority: Int64 = 0, _ handler: @escaping () -> Void
  ) throws(SystemError) -> TimerSource {
    let timer = TimerSource(handler)
    // Not 0, which would mean sd-event's default accuracy of 250 ms.
    try checked(
      sd_event_add_time(handle, &timer.raw, clock.id, 0, 1, timeReached, timer.userdata),
      "sd_event_add_time")
    try checked(
      sd_event_source_set_enabled(timer.raw, Int32(SD_EVENT_OFF)), "sd_event_source_set_enabled")
    try checked(sd_event_source_set_priority(timer.raw, priority), "sd_event_source_set_priority")
    return timer
  }
}

private func doNothing(_: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 { 0 }

// C function pointers must be free functions without captures. The userdata is an unretained
// reference to the source. `takeUnretainedValue` retains the source for the call, because a handler
// may drop the last reference to it.

private func descriptorReady(
  _: OpaquePointer?, _: Int32, _ events: UInt32, _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
  withExtendedLifetime(Unmanaged<Source>.fromOpaque(userdata!).takeUnretainedValue()) {
    $0.dispatch(EpollSet.Events(rawValue: events))
  }
  return 0
}

private func folderChanged(
  _: OpaquePointer?, _: UnsafePointer<inotify_event>?, _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
  withExtendedLifetime(Unmanaged<Source>.fromOpaque(userdata!).takeUnretainedValue()) {
    $0.dispatch(.readable)
  }
  return 0
}

private func signalReceived(
  _: OpaquePointer?, _ info: UnsafePointer<signalfd_siginfo>?, _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
  let received = info.map {
    SignalInfo(
      signal: Int32($0.pointee.ssi_signo), pid: Int32(bitPattern: $0.pointee.ssi_pid),
      uid: $0.pointee.ssi_uid)
  }
  withExtendedLifetime(Unmanaged<Source>.fromOpaque(userdata!).takeUnretainedValue()) {
    $0.dispatch(received)
  }
  return 0
}

private func childEnded(
  _: OpaquePointer?, _ info: UnsafePointer<siginfo_t>?, _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
  guard let info else { return 0 }
  let status = info.pointee._sifields._sigchld.si_status
  let end: ChildEnd = info.pointee.si_code == Int32(CLD_EXITED) ? .exited(status) : .killed(status)
  withExtendedLifetime(Unmanaged<Source>.fromOpaque(userdata!).takeUnretainedValue()) {
    $0.dispatch(end)
  }
  return 0
}

private func timeReached(
  _: OpaquePointer?, _: UInt64, _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
  withExtendedLifetime(Unmanaged<TimerSource>.fromOpaque(userdata!).takeUnretainedValue()) {
    $0.dispatch()
  }
  return 0
}
