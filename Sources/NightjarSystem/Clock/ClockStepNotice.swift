import CLinux
import Glibc

/// Calls a handler when the wall clock was set.
///
/// It uses a timerfd with TFD_TIMER_CANCEL_ON_SET for the largest possible time
/// (timerfd_create(2)): it never expires, and the kernel cancels it whenever CLOCK_REALTIME jumps.
/// Resuming from suspend is such a jump too; slewing is not. So the receiver has to read the clocks
/// to find out whether the wall clock was set.
public final class ClockStepNotice {
  private let timer: Descriptor
  private var source: Source?
  private let onChange: () -> Void

  /// Why the kernel has refused to arm the timer again, after which steps are not noticed; nil if
  /// it has not.
  public private(set) var failure: SystemError?

  /// Begins to watch. `onChange` is called on the loop, once for all steps since the last call.
  public init(loop: EventLoop, onChange: @escaping () -> Void) throws(SystemError) {
    timer = Descriptor(owning: try checked(nj_timerfd_realtime(), "timerfd_create"))
    self.onChange = onChange
    try arm()
    source = try loop.watchReadable(timer.raw) { [unowned self] in
      respond(to: nj_timerfd_read(timer.raw))
    }
  }

  deinit { source?.cancel() }

  /// Whole seconds until the timer would expire: for the test that it is armed, and far in the
  /// future.
  var remainingSeconds: Int64 { nj_timerfd_remaining_seconds(timer.raw) }

  /// Handles the result of the timer's read(2). Tests call it, because they cannot set the
  /// machine's clock.
  func respond(to result: Int64) {
    guard result != -Int64(EAGAIN) else { return }
    do {
      try arm()
    } catch {
      // This is not expected, because the timer was armed before with the same arguments. It would
      // stay readable and make the loop spin, so it is not watched any more.
      failure = error
      source?.cancel()
    }
    onChange()
  }

  private func arm() throws(SystemError) {
    let result = nj_timerfd_arm_cancel_on_set(timer.raw)
    // With ECANCELED the timer is armed. The error only reports a step of the clock before this
    // call. It can be ignored, because the next iteration compares the clocks anyway.
    guard result != -ECANCELED else { return }
    try checked(result, "timerfd_settime")
  }
}
