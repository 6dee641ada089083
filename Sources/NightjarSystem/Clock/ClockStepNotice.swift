import CLinux
import Glibc

/// Tells when the wall clock was set.
///
/// A timerfd for the end of time with TFD_TIMER_CANCEL_ON_SET (timerfd_create(2)): it never
/// expires, and the kernel cancels it whenever CLOCK_REALTIME jumps. Resuming from suspend is such
/// a jump to the kernel; what has happened, and whether anything has, the receiver finds by reading
/// the clocks. Slewing is none.
public final class ClockStepNotice {
  private let timer: Descriptor
  private var source: Source?
  private let onChange: () -> Void

  /// Why steps are not noticed any more, should the kernel refuse to arm it again; nil while they
  /// are.
  public private(set) var failure: SystemError?

  /// Watches from now on; `onChange` is called in the loop, once for however many steps since the
  /// last call.
  public init(loop: EventLoop, onChange: @escaping () -> Void) throws(SystemError) {
    timer = Descriptor(owning: try checked(nj_timerfd_realtime(), "timerfd_create"))
    self.onChange = onChange
    try arm()
    source = try loop.watchReadable(timer.raw) { [unowned self] in
      respond(to: nj_timerfd_read(timer.raw))
    }
  }

  deinit { source?.cancel() }

  /// Whole seconds until the timer would expire: for the test that it is armed, and for good.
  var remainingSeconds: Int64 { nj_timerfd_remaining_seconds(timer.raw) }

  /// What the timer's read(2) came back with; a test cannot set the machine's clock to have it
  /// cancelled.
  func respond(to result: Int64) {
    guard result != -Int64(EAGAIN) else { return }
    do {
      try arm()
    } catch {
      // Armed before, with the same arguments: not expected. Left as it is, it might keep the loop
      // spinning.
      failure = error
      source?.cancel()
    }
    onChange()
  }

  private func arm() throws(SystemError) {
    let result = nj_timerfd_arm_cancel_on_set(timer.raw)
    // Armed all the same; the step it speaks of is either the one being handled or, at the start,
    // older than any reading that could be compared.
    guard result != -ECANCELED else { return }
    try checked(result, "timerfd_settime")
  }
}
