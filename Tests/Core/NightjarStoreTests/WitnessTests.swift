import Foundation
import NightjarLedger
import NightjarTestSupport
import Testing

@testable import NightjarStore

/// The file with the number of the last acknowledged event.
@Suite(.blocking) struct WitnessTests {
  private let folder: TestFolder
  private var path: String { folder.path + "/nightjar.db-witness" }

  init() throws { folder = try TestFolder() }

  private func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func put(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test func `A witness returns what was last written to it, to the next process as well`() throws {
    #expect(try Witness.read(path) == nil)
    var witness: Witness? = try Witness(path: path, ledger: "0123456789abcdef")
    #expect(try Witness.read(path) == nil)
    for seq: Int64 in [1, 2, 70] {
      try witness?.write(lastSeq: seq)
      #expect(try Witness.read(path)?.lastSeq == seq)
    }
    try witness?.sync()
    witness = try Witness(path: path, ledger: "0123456789abcdef")
    try witness?.write(lastSeq: 71)
    #expect(
      try Witness.read(path) == Witness.Record(ledger: "0123456789abcdef", lastSeq: 71, count: 4))
    #expect(try bytes().count == 128)
  }

  @Test func `A flipped bit anywhere leaves the last or the second last contents`() throws {
    let witness = try Witness(path: path, ledger: "0123456789abcdef")
    for seq: Int64 in 1...4 { try witness.write(lastSeq: seq) }
    let whole = try bytes()
    for bit in 0..<whole.count * 8 {
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try put(damaged)
      let seq = try Witness.read(path)?.lastSeq
      #expect(seq == 4 || seq == 3, "bit \(bit)")
    }
  }

  @Test func `A witness that was cut off, or is none, has no contents`() throws {
    for bytes in [[], [UInt8](repeating: 0, count: 128), Array("It was a dark night.".utf8)] {
      try put(bytes)
      #expect(try Witness.read(path) == nil)
    }
  }

  @Test func `A symbolic link in place of a witness is refused`() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    #expect(throws: StoreError.self) { try Witness(path: path, ledger: "x") }
    #expect(throws: StoreError.self) { try Witness.read(path) }
  }
}
