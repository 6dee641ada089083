import CLinux
import Glibc

/// Calls a handler when the wall clock was set.
///
/// The notice uses a timerfd with TFD_TIMER_CANCEL_ON_SET for the largest possible time
/// (timerfd_create(2)). The timer never expires, and the kernel cancels it whenever CLOCK_REALTIME
/// jumps. CLOCK_REALTIME jumps when it is set and when the machine resumes from suspend, but not
/// when it is slewed. So the receiver has to read the clocks to find out whether the wall clock was
/// set.
public final class ClockStepNotice {
  private let timer: Descriptor
  private var source: Source?
  private let onChange: () -> Void
  private let onFailure: (SystemError) -> Void

  /// Begins to watch the wall clock.
  ///
  /// - Parameters:
  ///   - onChange: called on the loop, once for all steps since its last call.
  ///   - onFailure: called if the kernel refuses to arm the timer again. Later steps of the clock
  ///     are not noticed.
  public init(
    loop: EventLoop, onChange: @escaping () -> Void, onFailure: @escaping (SystemError) -> Void
  ) throws(SystemError) {
    timer = Descriptor(owning: try checked(nj_timerfd_realtime(), "timerfd_create"))
    self.onChange = onChange
    self.onFailure = onFailure
    try arm()
    source = try loop.watchReadable(timer.raw) { [unowned self] in
      respond(to: nj_timerfd_read(timer.raw))
    }
  }

  deinit { source?.cancel() }

  /// How many seconds remain until the timer would expire. A test uses this to check that the timer
  /// is armed for a time far in the future.
  var remainingSeconds: Int64 { nj_timerfd_remaining_seconds(timer.raw) }

  /// Handles the result of reading the timer (read(2)). Tests call this, because they cannot set
  /// the machine's clock.
  func respond(to result: Int64) {
    guard result != -Int64(EAGAIN) else { return }
    do {
      try arm()
    } catch {
      // This is not expected, because the timer was armed before with the same arguments. The timer
      // would stay readable and make the loop spin, so it is not watched any more.
      source?.cancel()
      onFailure(error)
    }
    onChange()
  }

  private func arm() throws(SystemError) {
    let result = nj_timerfd_arm_cancel_on_set(timer.raw)
    // ECANCELED means that the timer is armed, and reports a step of the clock before this call. It
    // can be ignored, because the next iteration compares the clocks anyway.
    guard result != -ECANCELED else { return }
    try checked(result, "timerfd_settime")
  }
}
