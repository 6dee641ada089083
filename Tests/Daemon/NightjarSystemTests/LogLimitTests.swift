import NightjarTestSupport
import Testing

@testable import NightjarSystem

@Suite(.blocking) struct LogLimitTests {
  private final class Journal {
    var nowUsec: Int64 = 1_000
    var lines: [String] = []

    func log() -> LimitedLog {
      LimitedLog(nowUsec: { [unowned self] in nowUsec }) { [unowned self] in
        lines.append("\($0) \($1)" + $2.map { " [\($0.key)=\($0.value)]" }.joined())
      }
    }
  }

  @Test func `Of very many lines some are written, and then the number of the others`() {
    let journal = Journal()
    let log = journal.log()
    for number in 0..<150_000 { log.write("refused", .warning, "refused \(number)") }
    #expect(journal.lines == (0..<LogLimit.lines).map { "warning refused \($0)" })
    #expect(log.dueUsec == 1_000 + LogLimit.intervalUsec)
    journal.nowUsec += LogLimit.intervalUsec - 1
    log.logDue()
    #expect(journal.lines.count == LogLimit.lines)
    journal.nowUsec += 1
    log.logDue()
    #expect(
      journal.lines.last
        == "warning 149990 more such lines were left out; the last: refused 149999 "
        + "[NIGHTJAR_SUPPRESSED=149990]")
    #expect(log.dueUsec == nil)
    // Another interval begins with the next line.
    log.write("refused", .warning, "again")
    #expect(journal.lines.last == "warning again" && journal.lines.count == LogLimit.lines + 2)
  }

  @Test func `A line after an interval follows the number of those omitted in it`() {
    let journal = Journal()
    let log = journal.log()
    for number in 0...LogLimit.lines { log.write("a", .info, "\(number)") }
    journal.nowUsec += 2 * LogLimit.intervalUsec
    log.write("a", .info, "later")
    #expect(
      journal.lines.suffix(2) == [
        "info 1 more such lines were left out; the last: \(LogLimit.lines) [NIGHTJAR_SUPPRESSED=1]",
        "info later",
      ])
  }

  @Test func `Each kind has its own limit, and few lines over a long time are all written`() {
    let journal = Journal()
    let log = journal.log()
    for number in 0..<100 { log.write("a", .info, "a\(number)") }
    log.write("b", .info, "b")
    #expect(journal.lines.last == "info b")
    for number in 0..<100 {
      journal.nowUsec += LogLimit.intervalUsec
      log.write("b", .info, "b\(number)")
      #expect(journal.lines.last == "info b\(number)")
    }
    let before = journal.lines.count
    log.flush()
    #expect(journal.lines.count == before)
    for _ in 0..<20 { log.write("c", .info, "c") }
    log.flush()
    #expect(journal.lines.last?.hasPrefix("info 10 more such lines") == true)
  }
}
