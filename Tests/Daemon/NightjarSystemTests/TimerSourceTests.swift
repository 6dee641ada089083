import Glibc
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem

extension Moment {
  fileprivate func usec(on clock: KernelClock) -> Int64 {
    switch clock {
    case .realtime, .realtimeAlarm: realtimeUsec
    case .boottime, .boottimeAlarm: boottimeUsec
    case .monotonic: monotonicUsec
    }
  }
}

@Suite(.blocking) struct TimerSourceTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test(arguments: [KernelClock.realtime, .boottime, .monotonic])
  func `A timer fires on its clock, never early and soon after`(clock: KernelClock) throws {
    var latenessUsec: [Int64] = []
    var dueUsec: Int64 = 0
    let timer = try loop.timer(on: clock) {
      latenessUsec.append(Clocks.read().usec(on: clock) - dueUsec)
    }
    for count in 1...15 {
      dueUsec = Clocks.read().usec(on: clock) + 10_000
      timer.arm(atUsec: dueUsec)
      #expect(try pump(loop) { latenessUsec.count == count })
      // The moment of the iteration is not before the timer's deadline.
      #expect(loop.now.usec(on: clock) >= dueUsec)
    }
    #expect(latenessUsec.allSatisfy { $0 >= 0 })
    // Other tests keep the machine busy on purpose: one firing must be close, and half of them not
    // far. With sd-event's default accuracy of 250 ms, timers would wait for its next common
    // moment.
    let sorted = latenessUsec.sorted()
    #expect(sorted[0] < 5000 && sorted[7] < 50_000, "\(sorted)")
  }

  @Test func `A timer on BOOTTIME counts the time of sleeps`() throws {
    if Role.current == "slept 100,000 s" {
      var fired = false
      let timer = try loop.timer(on: .boottime) { fired = true }
      // On MONOTONIC this would be a day away.
      timer.arm(atUsec: Clocks.read().boottimeUsec + 10_000)
      #expect(try pump(loop, within: 5) { fired })
      return
    }
    try Role.playInTimeNamespace("slept 100,000 s", inTest: "counts the time of sleeps")
  }

  @Test func `A new timer is off`() throws {
    var fired = false
    let timer = try loop.timer(on: .monotonic) { fired = true }
    #expect(try pump(loop, within: 0.05) { fired } == false)
    timer.cancel()
  }

  @Test func `A timer in the past fires at once`() throws {
    var fired = 0
    let timer = try loop.timer(on: .boottime) { fired += 1 }
    for (count, atUsec) in [Int64.min, -1, 0, Clocks.read().boottimeUsec].enumerated() {
      timer.arm(atUsec: atUsec)
      #expect(try pump(loop) { fired == count + 1 })
    }
  }

  @Test func `A timer fires once for each time it is armed`() throws {
    var fired = 0
    let timer = try loop.timer(on: .monotonic) { fired += 1 }
    timer.arm(atUsec: 1)
    #expect(try pump(loop) { fired == 1 })
    #expect(try pump(loop, within: 0.05) { fired > 1 } == false)
    // The same time again: the timer has fired, so it is armed anew.
    timer.arm(atUsec: 1)
    #expect(try pump(loop) { fired == 2 })
  }

  @Test func `A timer can be moved, to earlier and to later, and switched off`() throws {
    let start = Clocks.read().monotonicUsec
    var firedUsec: Int64?
    let timer = try loop.timer(on: .monotonic) { firedUsec = Clocks.read().monotonicUsec }
    timer.arm(atUsec: start + 60_000_000)
    timer.arm(atUsec: start + 20_000)
    #expect(try pump(loop, within: 5) { firedUsec != nil })

    firedUsec = nil
    let again = Clocks.read().monotonicUsec
    timer.arm(atUsec: again + 1000)
    timer.arm(atUsec: again + 40_000)
    #expect(try pump(loop, within: 5) { firedUsec != nil })
    #expect(try #require(firedUsec) >= again + 40_000)

    firedUsec = nil
    timer.arm(atUsec: Clocks.read().monotonicUsec + 1000)
    timer.arm(atUsec: nil)
    #expect(try pump(loop, within: 0.05) { firedUsec != nil } == false)
  }

  @Test func `A timer armed for the same time is left alone`() throws {
    var fired = 0
    let timer = try loop.timer(on: .monotonic) { fired += 1 }
    let due = Clocks.read().monotonicUsec + 10_000
    for _ in 0..<3 { timer.arm(atUsec: due) }
    #expect(try pump(loop) { fired == 1 })
    #expect(try pump(loop, within: 0.05) { fired > 1 } == false)
  }

  @Test func `A handler may arm its own timer, cancel it, and drop it`() throws {
    var fired = 0
    var timer: TimerSource?
    timer = try loop.timer(on: .monotonic) {
      fired += 1
      switch fired {
      case 1: timer?.arm(atUsec: 0)
      case 2:
        timer?.arm(atUsec: 0)
        timer?.cancel()
        timer?.arm(atUsec: 0)
        timer = nil
      default: Issue.record("fired after it was cancelled")
      }
    }
    timer?.arm(atUsec: 0)
    #expect(try pump(loop, within: 0.05) { fired > 2 } == false)
    #expect(fired == 2)
  }

  @Test func `Timers at the end of time wait`() throws {
    var fired = false
    let timer = try loop.timer(on: .boottime) { fired = true }
    timer.arm(atUsec: .max)
    #expect(try pump(loop, within: 0.05) { fired } == false)
  }
}

/// A read returns ECANCELED only after the machine's clock was set, which a test must not do. So
/// these tests check that the timer is armed for the largest possible time, that nothing else makes
/// it readable, and what follows a cancelled read.
@Suite(.blocking) struct ClockStepNoticeTests {
  @Test func `The notice is silent until the end of time, and reports each step once`() throws {
    let loop = try EventLoop()
    var changes = 0
    let notice = try ClockStepNotice(loop: loop) {
      changes += 1
    } onFailure: {
      Issue.record($0)
    }
    let centuries: Int64 = 200 * 31_557_600
    #expect(notice.remainingSeconds > centuries)
    #expect(try pump(loop, within: 0.05) { changes > 0 } == false)
    notice.respond(to: -Int64(ECANCELED))
    #expect(changes == 1)
    #expect(notice.remainingSeconds > centuries)
    notice.respond(to: -Int64(EAGAIN))
    #expect(changes == 1)
  }
}
