import CLinux
import Glibc

/// Calls a handler when the wall clock was set.
///
/// It uses a timerfd with TFD_TIMER_CANCEL_ON_SET for the largest possible time
/// (timerfd_create(2)): it never expires, and the kernel cancels it whenever CLOCK_REALTIME jumps.
/// Resuming from suspend is such a jump too. The receiver reads the clocks to find out what has
/// happened, and whether anything has. Slewing is not a jump.
public final class ClockStepNotice {
  private let timer: Descriptor
  private var source: Source?
  private let onChange: () -> Void

  /// Why steps are not noticed any more, if the kernel has refused to arm the timer again; nil
  /// otherwise.
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
      // Not expected, because it was armed before with the same arguments. The timer would stay
      // readable and make the loop spin, so it is not watched any more.
      failure = error
      source?.cancel()
    }
    onChange()
  }

  private func arm() throws(SystemError) {
    let result = nj_timerfd_arm_cancel_on_set(timer.raw)
    // The timer is armed all the same. The step that this reports is either the one being handled
    // or, at the start, older than any reading that it could be compared with.
    guard result != -ECANCELED else { return }
    try checked(result, "timerfd_settime")
  }
}
