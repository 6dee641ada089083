import CLinux
import CSystemd
import Glibc
public import NightjarModel

/// The event loop of the main thread: sd-event(3), driven one iteration at a time. Each iteration
/// has one moment, a beginning and an end.
///
/// An iteration (a **pass** in the code) is one wait and the dispatch after it. sd-event dispatches
/// one source per iteration, the ready one with the highest priority. Other ready sources follow in
/// the next iterations, which do not wait.
public final class EventLoop {
  /// The `sd_event *`, for sd-bus. Borrowed: it lives as long as the loop.
  public let handle: OpaquePointer

  /// Called after the wait and before the dispatch, with the iteration's one moment.
  public var onPassBegin: (Moment) -> Void = { _ in }

  /// Called when the iteration's source has been dispatched: the place to carry out queued effects.
  public var onPassEnd: () -> Void = {}

  /// The moment of this iteration, read after its wait. Before the first one, the moment the loop
  /// was created.
  public private(set) var now: Moment

  private var nextPass: OpaquePointer?
  private var queued: [() -> Void] = []

  /// Creates a loop without sources.
  public init() throws(SystemError) {
    var event: OpaquePointer?
    // Not sd_event_default, which is one per thread: a test may need two.
    try checked(sd_event_new(&event), "sd_event_new")
    handle = event!
    now = Clocks.read()
    try checked(sd_event_add_defer(handle, &nextPass, doNothing, nil), "sd_event_add_defer")
    // Among sources of one priority, sd-event dispatches the one that has been pending longest, and
    // a defer source counts as pending from its creation. If it were requested in every iteration,
    // it would starve all others of its priority.
    try checked(sd_event_source_set_priority(nextPass, .max), "sd_event_source_set_priority")
    try checked(
      sd_event_source_set_enabled(nextPass, Int32(SD_EVENT_OFF)), "sd_event_source_set_enabled")
  }

  deinit {
    sd_event_source_disable_unref(nextPass)
    sd_event_unref(handle)
  }

  // MARK: Running

  /// Runs until `exit` is called, and returns the code passed to it. A loop that has ended cannot
  /// run again.
  public func run() throws(SystemError) -> Int32 {
    while sd_event_get_state(handle) != SD_EVENT_FINISHED { try runPass() }
    var code: Int32 = 0
    try checked(sd_event_get_exit_code(handle, &code), "sd_event_get_exit_code")
    return code
  }

  /// Waits, and dispatches one source. A wait that ends without a ready source, for example to ping
  /// the watchdog, is not an iteration.
  func runPass() throws(SystemError) {
    var ready = try checked(sd_event_prepare(handle), "sd_event_prepare")
    if ready == 0 { ready = try checked(sd_event_wait(handle, .max), "sd_event_wait") }
    guard ready > 0 else { return }
    now = Clocks.read()
    onPassBegin(now)
    try checked(sd_event_dispatch(handle), "sd_event_dispatch")
    runQueued()
    onPassEnd()
  }

  /// Makes `run` return `code` at the end of this iteration; other ready sources are not
  /// dispatched. Of several calls the last one counts. On a loop that has ended, the call has no
  /// effect.
  public func exit(_ code: Int32) {
    guard sd_event_get_state(handle) != SD_EVENT_FINISHED else { return }
    sd_event_exit(handle, code)
  }

  /// Makes the loop run one more iteration without waiting, after the iterations of ready sources.
  /// Several requests cause one iteration.
  public func requestPass() {
    sd_event_source_set_enabled(nextPass, Int32(SD_EVENT_ONESHOT))
  }

  /// Runs `body` after the dispatch of this iteration, or of the next one: for work that must not
  /// happen inside the callback that requests it.
  public func later(_ body: @escaping () -> Void) {
    queued.append(body)
    requestPass()
  }

  private func runQueued() {
    let bodies = queued
    queued = []
    for body in bodies { body() }
  }

  /// Makes the loop ping the service manager at the manager's interval (`WatchdogSec=`), or stop
  /// doing so. With the pings, the manager notices a loop that hangs.
  ///
  /// - Returns: whether the loop pings now; also false if the manager expects no pings.
  @discardableResult
  public func enableWatchdog(_ on: Bool) throws(SystemError) -> Bool {
    try checked(sd_event_set_watchdog(handle, on ? 1 : 0), "sd_event_set_watchdog") > 0
  }

  // MARK: Sources

  /// Watches a descriptor for input, level-triggered; a hang-up or an error is reported as well.
  /// The caller owns the descriptor and must cancel the source before closing it.
  ///
  /// - Parameter priority: lower numbers run first. Among equal priorities, the source that has
  ///   waited longest runs first.
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
  /// The handler gets the conditions that hold; a hang-up or an error is `closed`. The caller owns
  /// the descriptor and must cancel the source before closing it.
  ///
  /// - Parameter priority: lower numbers run first. Among equal priorities, the source that has
  ///   waited longest runs first.
  public func watch(
    _ fd: Int32, priority: Int64 = 0, _ handler: @escaping (EpollSet.Events) -> Void
  ) throws(SystemError) -> Source {
    let source = Source(.ready(handler))
    try checked(
      sd_event_add_io(
        handle, &source.raw, fd, EpollSet.Events.readable.rawValue, descriptorReady,
        source.userdata),
      "sd_event_add_io")
    try checked(
      sd_event_source_set_priority(source.raw, priority), "sd_event_source_set_priority")
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

  /// Watches a child of this process. The handler is called once, when the child has ended; the
  /// child is then reaped and not even a zombie.
  ///
  /// sd-event uses a pidfd, or SIGCHLD on kernels without pidfds. So every thread must have SIGCHLD
  /// blocked.
  public func watchChild(
    _ pid: Int32, _ handler: @escaping (ChildEnd) -> Void
  ) throws(SystemError) -> Source {
    // sd-event requires it in either case.
    Signals.block([SIGCHLD])
    let source = Source(.child(handler))
    try checked(
      sd_event_add_child(
        self.handle, &source.raw, pid, Int32(WEXITED), childEnded, source.userdata),
      "sd_event_add_child \(pid)")
    return source
  }

  /// A timer on one of the kernel's clocks, off until it is armed.
  public func timer(
    on clock: KernelClock, priority: Int64 = 0, _ handler: @escaping () -> Void
  ) throws(SystemError) -> TimerSource {
    let timer = TimerSource(handler)
    // An accuracy of 0 would mean sd-event's default, 250 ms.
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
