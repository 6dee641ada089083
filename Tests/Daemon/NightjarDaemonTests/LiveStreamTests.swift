import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Streams of the client library across restarts of a daemon without a service manager to hold its
/// connections.
@Suite(.blocking) struct LiveStreamTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private func follow(_ call: Call, on daemon: DaemonProcess) throws -> LiveStream {
    try LiveStream(path: daemon.options.socketPath, connection: daemon.connect(), call: call)
  }

  /// The numbers of the events up to `last`.
  private func numbers(_ stream: inout LiveStream, to last: Int64) throws -> [Int64] {
    var numbers: [Int64] = []
    while numbers.last ?? 0 < last {
      guard case .reply(let reply) = try stream.next(deadline: .after(usec: 30 * second)) else {
        throw Unmet(description: "the stream stopped behind \(numbers.last ?? 0)")
      }
      if let seq = reply["event"]?["seq"]?.integerValue { numbers.append(seq) }
    }
    return numbers
  }

  @Test(arguments: [1, 9])
  func `If another ledger was begun, the stream delivers all of its events`(count: Int64) throws {
    var daemon = try rig.daemon()
    for name in ["tea", "egg", "soup"] { try daemon.connect().start(name, usec: hour) }
    var events = try follow(.events(after: 0), on: daemon)
    var idle = try follow(.events(after: 3), on: daemon)
    var watch = try follow(.watch(), on: daemon)
    #expect(try numbers(&events, to: 3) == [1, 2, 3])
    while watch.lastSeq == nil { _ = try watch.next(deadline: .after(usec: 30 * second)) }
    daemon.process.kill()
    try FileManager.default.removeItem(atPath: daemon.options.stateFolder)
    daemon = try rig.daemon()
    for index in 1...count { try daemon.connect().start("new\(index)", usec: hour) }
    #expect(try numbers(&events, to: count) == Array(1...count))
    #expect(try numbers(&idle, to: count) == Array(1...count))
    #expect(try numbers(&watch, to: count) == Array(1...count))
  }

  @Test(arguments: ["Events", "Watch"])
  func `A stream continues by number: it misses no event, and delivers none twice`(method: String)
    throws
  {
    var daemon = try rig.daemon()
    try daemon.connect().start("tea", usec: hour)
    var stream = try follow(method == "Events" ? .events(after: 0) : .watch(), on: daemon)
    var received: [Int64] = []
    if method == "Events" {
      received = try numbers(&stream, to: 1)
    } else {
      // The initial states and their end.
      while stream.lastSeq == nil { _ = try stream.next(deadline: .after(usec: 30 * second)) }
      received = [1]
    }
    for round in 0..<6 {
      let client = try daemon.connect()
      _ = try client.timer(.perform(.pause, name: "tea"))
      _ = try client.timer(.perform(.resume, name: "tea"))
      if round % 2 == 0 { daemon.process.kill() } else { try daemon.terminate() }
      daemon = try rig.daemon()
      _ = try daemon.connect().timer(.extend(name: "tea", byUsec: second))
      received += try numbers(&stream, to: try daemon.status().storage.lastSeq)
    }
    #expect(received == Array(1...(received.last ?? 0)))
    #expect(stream.reconnections >= 6)
  }
}
