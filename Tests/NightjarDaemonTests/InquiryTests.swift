import NightjarSystem
import Testing

@testable import NightjarDaemon

/// Asking again for what nobody can say now.
@Suite struct InquiryTests {
  /// When it asked and when it gave up, in seconds after its beginning.
  private func times(untilUsec: Int64) throws -> [Int64] {
    let loop = try EventLoop()
    let start = Clocks.monotonicUsec()
    var times: [Int64] = []
    var inquiry: Inquiry?
    func note() { times.append((Clocks.monotonicUsec() - start) / 1_000_000) }
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
    #expect(try times(untilUsec: 3_500_000) == [1, 3, 3])
    #expect(try times(untilUsec: 100_000) == [0])
    #expect(try times(untilUsec: -5_000_000) == [0])
  }
}
