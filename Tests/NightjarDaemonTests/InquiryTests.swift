import NightjarSystem
import Testing

@testable import NightjarDaemon

/// Asking again for what nobody can say now.
@Suite struct InquiryTests {
  /// When it asked and when it gave up, in microseconds after its beginning.
  private func times(untilUsec: Int64) throws -> [Int64] {
    let loop = try EventLoop()
    let start = Clocks.monotonicUsec()
    var times: [Int64] = []
    var inquiry: Inquiry?
    func note() { times.append(Clocks.monotonicUsec() - start) }
    inquiry = try Inquiry(
      on: loop, untilUsec: start + untilUsec,
      ask: {
        note()
        inquiry?.again()
      },
      giveUp: {
        note()
        loop.exit(0)
      })
    inquiry?.again()
    _ = try loop.run()
    inquiry = nil
    return times
  }

  @Test func `It asks with waits that double, and gives up in time`() throws {
    let times = try times(untilUsec: 3_500_000)
    // After one second, and two more; then it is time. Whoever is kept from it asks less often.
    #expect(times.count <= 3 && times[0] >= 1_000_000, "\(times)")
    #expect(times.count < 3 || times[1] >= 3_000_000, "\(times)")
    #expect(try #require(times.last) >= 3_500_000)
    for usec: Int64 in [100_000, -5_000_000] {
      let end = try self.times(untilUsec: usec)
      #expect(end.count == 1 && end[0] >= usec && end[0] < 1_000_000, "\(end)")
    }
  }
}
