import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

private let minute = 60 * second

@Suite(.blocking) struct TotalsTests {
  /// Two pomodoros over midnight, one with a label, and a countdown.
  private static func totals(_ key: Totals.Key, listsSteps: Bool = false) throws -> Totals {
    let midnight = try LedgerScript.time("2027-01-16")
    let ledger = try LedgerScript(
      on: midnight,
      """
      23:30-1d pomodoro started kind=sequence for=20min labels.project=site \
      steps=work:20min,rest:20min sequence.rounds=2
      23:50-1d pomodoro rang counted=20min late=0 missed=0 step_number=2 step_name=rest for=20min
      00:10 pomodoro rang counted=40min late=0 missed=0 step_number=3 step_name=work for=20min
      00:30 pomodoro removed counted=60min
      00:11 tea started for=4min
      00:15 tea rang counted=4min late=0
      """)
    var totals = Totals(by: key, listsSteps: listsSteps)
    for run in try ledger.runs(now: midnight + 30 * minute) { totals.add(run) }
    return totals
  }

  private static func cells(_ totals: Totals) -> [[String]] {
    let grid = totals.grid()
    return grid.rows.flatMap { row in
      zip(grid.columns, row.usec).filter { $1 > 0 }.map {
        ["\(row.day)", totals.text($0), "\($1 / minute)"]
      }
    }
  }

  @Test func `Totals are by name and day, without breaks`() throws {
    #expect(
      try Self.cells(Self.totals(.name)) == [
        ["20833", "pomodoro", "20"], ["20834", "pomodoro", "20"], ["20834", "tea", "4"],
      ])
  }

  @Test func `Steps are listed separately on request, with the breaks`() throws {
    #expect(
      try Self.cells(Self.totals(.name, listsSteps: true)) == [
        ["20833", "pomodoro: work", "20"], ["20833", "pomodoro: rest", "10"],
        ["20834", "pomodoro: work", "20"], ["20834", "pomodoro: rest", "10"],
        ["20834", "tea", "4"],
      ])
  }

  @Test func `Totals by a label: runs without the label are one group, at the end`() throws {
    let totals = try Self.totals(.label("project"))
    #expect(
      Self.cells(totals) == [
        ["20833", "site", "20"], ["20834", "site", "20"], ["20834", "(no project)", "4"],
      ])
    #expect(totals.hasKey)
    #expect(try !Self.totals(.label("colour")).hasKey)
  }

  @Test func `If there is no room for all, the last column sums up the others`() throws {
    let totals = try Self.totals(.name, listsSteps: true)
    let grid = totals.grid(columns: 2)
    #expect(grid.columns.count == 2 && grid.others == 2)
    #expect(grid.rows.map(\.usec) == [[20 * minute, 10 * minute], [20 * minute, 14 * minute]])
    #expect(grid.sums == [40 * minute, 24 * minute])
    #expect(totals.grid(columns: 3).others == 0 && totals.grid().others == 0)
  }
}
