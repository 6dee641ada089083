import Foundation
import NightjarModel
import NightjarTestSupport
import Synchronization
import Testing

@testable import NightjarSystem

@Suite(.blocking) struct ClocksTests {
  /// So moments of a boot never go back either.
  @Test func `A moment lies between a reading of each clock before it and one after it`() {
    let clocks = [CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_MONOTONIC]
    for _ in 0..<10_000 {
      let before = clocks.map(Now.usec)
      let moment = Clocks.read()
      let after = clocks.map(Now.usec)
      let read = [moment.realtimeUsec, moment.boottimeUsec, moment.monotonicUsec]
      for index in clocks.indices {
        #expect(before[index] <= read[index] && read[index] <= after[index])
      }
      #expect(moment.bootID == Clocks.bootID)
    }
  }

  @Test func `A busy machine shows no suspend and no step in its moments`() throws {
    let busy = Burners(count: 8)
    defer { busy.stop() }
    var suspended: [Int64] = []
    for _ in 0..<200_000 {
      let moment = Clocks.read()
      suspended.append(moment.boottimeUsec - moment.monotonicUsec)
    }
    let least = try #require(suspended.min())
    let most = try #require(suspended.max())
    #expect(most - least <= 100)
  }

  @Test func `BOOTTIME runs ahead of MONOTONIC by the time of sleeps`() throws {
    if Role.current == "slept 100,000 s" {
      let moment = Clocks.read()
      let slept = moment.boottimeUsec - moment.monotonicUsec
      // At least, because this machine may have slept itself; the clocks are read up to 100 µs
      // apart.
      #expect(slept >= 100_000_000_000 - 100)
      return
    }
    try Role.playInTimeNamespace("slept 100,000 s", inTest: "BOOTTIME runs ahead")
  }

  @Test func `The boot ID is the kernel's`() throws {
    let text = try Rig().tool(["cat", "/proc/sys/kernel/random/boot_id"])
    #expect(Clocks.bootID == BootID(text: text))
  }

  @Test func `NIGHTJAR_BOOT_ID simulates a reboot`() throws {
    try Role.alone {
      setenv("NIGHTJAR_BOOT_ID", "0123456789abcdeffedcba9876543210", 1)
      let id = BootID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
      #expect(Clocks.read().bootID == id)
    }
  }

  @Test(arguments: [
    (status: Int32(0), maxErrorUsec: Int64(16_000_000), synchronized: true),
    (0x40, 16_000_000, false),  // after boot, and after a step
    (0x40, 20_000, true),  // chrony without rtcsync
    (0x2001, 500, true),  // STA_NANO | STA_PLL: timesyncd
  ])
  func `A clock is synchronised if the kernel says so, or has an error bound below its limit`(
    status: Int32, maxErrorUsec: Int64, synchronized: Bool
  ) {
    #expect(Clocks.isDisciplined(status: status, maxErrorUsec: maxErrorUsec) == synchronized)
  }

  @Test func `A reading says itself whether the kernel considers the clock synchronised`() throws {
    // Another reader of the same structure: modes, offset, freq, maxerror, esterror, status.
    let script = """
      import ctypes
      timex = (ctypes.c_long * 32)()
      assert ctypes.CDLL(None).adjtimex(timex) >= 0
      print(timex[3] < 16000000 or not timex[5] & 0x40)
      """
    let disciplined = try Rig().tool(["/usr/bin/python3", "-c", script]) == "True"
    let before = Now.realtimeUsec
    let reading = Clocks.readWithSynchronization()
    #expect(reading.isSynchronized == disciplined)
    // Both values are from one reading of the kernel.
    #expect((before...Now.realtimeUsec).contains(reading.moment.realtimeUsec))
  }
}

/// Threads that keep the processors busy.
private final class Burners: Sendable {
  private let goOn = Atomic<Bool>(true)

  init(count: Int) {
    for _ in 0..<count {
      Thread.detachNewThread { while self.goOn.load(ordering: .relaxed) {} }
    }
  }

  func stop() { goOn.store(false, ordering: .relaxed) }
}
