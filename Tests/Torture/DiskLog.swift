import CDiskRecord
import Foundation
import NightjarTestSupport

/// What a daemon wrote and sent, in order: the log of `Tests/C/FaultyDisk.c`.
struct DiskLog {
  struct Record {
    let kind: Int
    let result: Int32
    let name: String
    let inode: UInt64
    let offset: Int
    let payload: Range<Int>
  }

  let bytes: [UInt8]
  let records: [Record]
  /// How many replies had been sent to their end before each record.
  let replies: [Int]
  /// How many replies were sent to their end.
  let allReplies: Int

  init(path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let headBytes = MemoryLayout<nj_disk_record>.size
    var records: [Record] = []
    var replies: [Int] = []
    var (at, sent) = (0, 0)
    while at + headBytes <= bytes.count {
      let head = bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: at, as: nj_disk_record.self)
      }
      let nameEnd = at + headBytes + Int(head.name_bytes)
      let end = nameEnd + Int(head.payload_bytes)
      // The last record of a process that was killed may be cut off; its call is not over then.
      guard end <= bytes.count else { break }
      replies.append(sent)
      let record = Record(
        kind: Int(head.kind), result: head.result,
        name: String(decoding: bytes[(at + headBytes)..<nameEnd], as: UTF8.self),
        inode: head.inode, offset: Int(head.offset), payload: nameEnd..<end)
      records.append(record)
      if record.kind == NJ_DISK_SENT { sent += bytes[record.payload].lazy.filter { $0 == 0 }.count }
      at = end
    }
    (self.bytes, self.records, self.replies, allReplies) = (bytes, records, replies, sent)
  }
}
