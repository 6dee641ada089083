import Foundation
import Testing
import Varlink

/// Blocking calls, to a service in another thread.
@Suite struct CallingTests {
  /// A service that answers each of its first client's messages with bytes.
  private static func answering(_ answers: [String]) throws -> VarlinkConnection {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let service = ends[1]
    Thread.detachNewThread {
      let service = VarlinkConnection(owning: service)
      for answer in answers {
        while service.nextFrame() == nil {
          guard service.wait(), !service.hasInputEnded else { return }
        }
        service.outlet.output += Array(answer.utf8)
        service.flushAll()
      }
    }
    return VarlinkConnection(owning: ends[0])
  }

  /// A lamp in another thread, for one client.
  private static func lamp() throws -> VarlinkConnection {
    let rig = try LampRig()
    let client = try rig.connect()
    let lamp = Handover(rig)
    Thread.detachNewThread {
      while true { lamp.rig.server.step() }
    }
    return client
  }

  /// The thread is the only user of the rig after this.
  private struct Handover: @unchecked Sendable {
    let rig: LampRig
    init(_ rig: LampRig) { self.rig = rig }
  }

  private static let state = #"{"state":{"on":true,"brightness":40}}"#

  @Test func `A connection that failed answers no later call with what had arrived`() throws {
    let first = #"{"parameters":\#(Self.state),"continues":true}"# + "\0"
    let second = #"{"parameters":\#(Self.state)}"# + "\0"
    let lamp = try Self.answering([first + second])
    #expect(throws: CallFailure.tooManyReplies) { try lamp.call(Lamp.Set(on: true)) }
    #expect(throws: CallFailure.ended) { try lamp.call(Lamp.Set(on: true)) }
  }

  @Test func `A call returns the reply of its method, or the error of its interface`() throws {
    let lamp = try Self.lamp()
    var call = Lamp.Set(on: true)
    call.brightness = 40
    #expect(try lamp.call(call).state == Lamp.State(on: true, brightness: 40))
    call.brightness = 400
    let failure = #expect(throws: CallFailure.self) { try lamp.call(call) }
    guard case .refused(let reply) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(LampError(reply) == .tooBright(most: 100))
    #expect(failure?.description == #"org.example.Lamp.TooBright {"most":100}"#)
    #expect(try lamp.call(ServiceInterface.GetInfo()).product == "lampd")
  }

  @Test func `The replies of a stream are read one by one, until the last`() throws {
    let lamp = try Self.answering([
      "{\"parameters\":\(Self.state),\"continues\":true}\0{\"parameters\":\(Self.state)}\0"
    ])
    let watch = lamp.replies(to: Lamp.Watch())
    #expect(try watch.next()?.state.brightness == 40)
    #expect(try watch.next()?.state.brightness == 40)
    #expect(try watch.next() == nil)
  }

  @Test func `A oneway call waits for nothing`() throws {
    let lamp = try Self.lamp()
    try lamp.callOneway(Lamp.Set(on: true))
    #expect(try lamp.replies(to: Lamp.Watch()).next()?.state.on == true)
  }

  @Test(arguments: [
    ("", CallFailure.ended), ("[]\0", .violation(.notAnObject(.array))),
    ("{\"parameters\":\(state),\"continues\":true}\0", .tooManyReplies),
    ("{\"parameters\":{}}\0", .unreadable(WireError(field: "state", problem: .missing))),
  ])
  func `Without a reply that it can read, a call says why and breaks the connection`(
    answer: String, expected: CallFailure
  ) throws {
    let lamp = try Self.answering([answer])
    #expect(throws: expected) { try lamp.call(Lamp.Watch()) }
    #expect(lamp.isBroken)
    #expect(throws: CallFailure.ended) { try lamp.call(Lamp.Watch()) }
  }

  @Test func `A call ends after its time, and so does the connection`() throws {
    let (lamp, silent) = try connectedPair()
    #expect(throws: CallFailure.timedOut) { try lamp.call(Lamp.Watch(), msec: 20) }
    #expect(lamp.isBroken && silent.receive())
  }
}
