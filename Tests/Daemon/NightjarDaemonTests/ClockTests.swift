import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing

/// Another boot, and a wall clock that is set: what the daemon can find out from the clocks alone.
@Suite(.blocking, .timed) struct ClockTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private static let bootIDs = [
    "11111111-1111-1111-1111-111111111111", "22222222222222222222222222222222",
  ]

  /// A timer as the daemon described it, and between which times.
  private struct Answer {
    let timer: Wire.Timer
    let askedUsec = Now.boottimeUsec
    let answeredUsec: Int64

    init(_ ask: () throws -> Wire.Timer) rethrows {
      timer = try ask()
      answeredUsec = Now.boottimeUsec
    }
  }

  /// Whether a timer lost that much more, between two answers, than the time that passed for this
  /// test between them. A busy machine makes the answers late, so the time has a range.
  private func isHidden(_ usec: Int64, _ before: Answer, _ after: Answer) -> Bool {
    let less = before.timer.remainingUsec - after.timer.remainingUsec - usec
    return
      (after.askedUsec - before.answeredUsec - 50 * millisecond..<after.answeredUsec
      - before.askedUsec + 50 * millisecond).contains(less)
  }

  @Test(arguments: [false, true])
  func `Another boot, 3 h later by the wall clock, takes 3 h off an elapsed countdown`(
    isCrash: Bool
  ) throws {
    // BOOTTIME continues in this fake boot, and the daemon assumes that at least that much has
    // passed: 3 h, or more on a machine that has been up for longer.
    let laterUsec = 3 * hour + Now.boottimeUsec / hour * hour
    let first = try rig.daemon { $0.environment = ["NIGHTJAR_BOOT_ID": Self.bootIDs[0]] }
    let client = try first.connect()
    let startUsec = Now.boottimeUsec
    let tea = try Answer { try client.start("tea", usec: 1000 * hour) }
    let work = try client.start("work", usec: 1000 * hour, clock: .awake)
    let egg = try client.start("egg", usec: hour)
    if isCrash { first.process.kill() } else { try first.terminate() }

    let next = try rig.daemon {
      $0.environment = ["NIGHTJAR_BOOT_ID": Self.bootIDs[1]]
      try $0.fakeWallClock(seconds: laterUsec / second)
    }
    let status = try next.status()
    let span = try #require(status.lastSpan)
    #expect(span.causes == ["reboot"] && span.estimated && status.clocks.bootId == Self.bootIDs[1])
    #expect((0..<5 * second).contains(span.elapsedUsec - laterUsec))
    let seen = try Answer { try next.connect().get("tea") }
    #expect(seen.timer.id == tea.timer.id && seen.timer.state == .running)
    #expect(isHidden(laterUsec, tea, seen))
    // Nothing of it counts for the `awake` timer: the machine was off.
    let awake = try next.connect().get("work")
    #expect(work.remainingUsec - awake.remainingUsec <= Now.boottimeUsec - startUsec)
    // A timer that expired meanwhile reports by how much it is late.
    let rang = try next.events(after: 0).event { $0.type == "rang" }
    #expect(rang.name == "egg" && rang.lateCause == "reboot")
    let lateUsec = try #require(rang.lateUsec)
    #expect(abs(rang.timeUsec - egg.startedUsec - hour - lateUsec) < 50 * millisecond)
    #expect(abs(lateUsec - (laterUsec - hour)) < Now.boottimeUsec - startUsec + 50 * millisecond)
  }

  @Test func `A wall clock set by 2 h moves no countdown but one on the wall`() throws {
    let daemon = try rig.daemon { try $0.fakeWallClock(seconds: 0) }
    let client = try daemon.connect()
    let tea = try Answer { try client.start("tea", usec: 5 * hour) }
    let work = try Answer { try client.start("work", usec: 5 * hour, clock: .awake) }
    let train = try Answer { try client.start("train", usec: 5 * hour, clock: .wall) }
    try client.start("bus", usec: hour, clock: .wall)
    let before = try client.status().clocks.realtimeUsec

    try daemon.options.setWallClock(seconds: 7200)
    let status = try client.status()
    #expect(abs(status.clocks.realtimeUsec - before - 2 * hour) < 5 * second)
    #expect(status.lastSpan == nil && status.openSpan == nil)
    for (known, hiddenUsec) in [(tea, 0), (work, 0), (train, 2 * hour)] as [(Answer, Int64)] {
      let seen = try Answer { try client.get(known.timer.name) }
      #expect(isHidden(hiddenUsec, known, seen) && seen.timer.state == .running)
    }
    let deadlineUsec = try #require(try client.get("train").deadlineUsec)
    #expect(abs(deadlineUsec - train.timer.startedUsec - 5 * hour) < millisecond)

    let step = try daemon.events(after: 0).event { $0.type == "clock_stepped" }
    #expect(abs(try #require(step.offsetUsec) - 2 * hour) < 50 * millisecond)
    let rang = try daemon.events(after: 0).event { $0.type == "rang" }
    #expect(rang.name == "bus" && rang.lateCause == "step")
    #expect(abs(try #require(rang.lateUsec) - hour) < 5 * second)
  }
}
