import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A disk whose reads fail for a while: SQLite reports that as damage, though it is none.
@Suite(.blocking) struct UnreadableDiskTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test(arguments: [true, false])
  func `A start on a disk that cannot be read sets nothing aside, and the next has every timer`(
    afterStop: Bool
  ) throws {
    let first = try rig.daemon()
    let names: Set<String> = ["tea", "egg", "needle"]
    for name in names { try first.connect().start(name, usec: hour) }
    if afterStop { try first.terminate() } else { try first.crash() }
    var refused = 0
    for skip: Int32 in 0..<40 {
      let daemon = try rig.daemon(awaitingReady: false) {
        try $0.useFaultyDisk().arm(.readFails, skip: skip, count: .max)
      }
      if (try? daemon.awaitReady()) == nil {
        #expect(try daemon.process.awaitEnd() == .exited(1))
        refused += 1
      } else {
        try daemon.crash()
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(rig.path)/nightjar")
      #expect(files.filter { $0.contains("damaged") } == [], "behind \(skip) reads")
    }
    #expect(refused > 5)
    let next = try rig.daemon()
    #expect(Set(try next.connect().names()) == names)
  }
}
