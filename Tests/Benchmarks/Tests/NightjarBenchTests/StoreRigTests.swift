import NightjarLedger
import NightjarStore
import Testing

@testable import nightjar_bench

/// Tests of the rig with which the store is measured.
@Suite struct StoreRigTests {
  @Test
  func `A commit has as many events as it is to have, and is on disk only when it was written`()
    throws
  {
    let folder = Folder()
    let rig = try StoreRig(path: folder.path)
    defer { rig.close() }
    let reader = try LedgerReader(folder: rig.folder)
    var last = try #require(try reader.ledgerState()?.lastSeq)
    #expect(last >= Int64(StoreRig.timers))
    for events in [1, 100, 5_000] {
      let bytes = try rig.prepare(events: events)
      #expect(try reader.ledgerState()?.lastSeq == last)
      #expect(try rig.write() > 0)
      last += Int64(events)
      #expect(try reader.ledgerState()?.lastSeq == last)
      var stored = 0
      try reader.forEachRow(after: last - Int64(events)) { _, row throws(StoreError) in
        stored += row.count
        return true
      }
      #expect(stored > 0 && bytes.count >= stored)
    }
    #expect(throws: StoreError.self) { try rig.write() }
  }
}
