import Foundation
import Glibc
import Testing
import Varlink

/// The loop for services, with clients that send what they like.
@Suite struct ServerTests {
  private let rig: LampRig
  private let client: VarlinkConnection

  init() throws {
    rig = try LampRig()
    client = try rig.connect()
  }

  private func reply(to message: String) throws -> String {
    let replies = try rig.replies(to: message, from: client)
    #expect(replies.count == 1)
    return replies.first ?? ""
  }

  private static func call(_ method: String, _ rest: String = "") -> String {
    #"{"method":"\#(method)"\#(rest)}"#
  }

  private static func set(_ isOn: Bool, _ rest: String = "") -> String {
    call("org.example.Lamp.Set", #","parameters":{"on":\#(isOn)}\#(rest)"#)
  }

  private static let watch = call("org.example.Lamp.Watch", #","more":true"#)

  private static func state(_ isOn: Bool, _ brightness: Int, _ rest: String = "") -> String {
    #"{"parameters":{"state":{"on":\#(isOn),"brightness":\#(brightness)}}\#(rest)}"#
  }

  @Test func `A service says what it is, and which interfaces it has`() throws {
    #expect(
      try reply(to: Self.call("org.varlink.service.GetInfo"))
        == #"""
        {"parameters":{"vendor":"Example","product":"lampd","version":"1",\#
        "url":"https://example.org","interfaces":["org.varlink.service","org.example.Lamp"]}}
        """#.replacing("\\\n", with: ""))
    for (name, text) in [
      (LampInterface.name, LampInterface.description),
      (ServiceInterface.name, ServiceInterface.description),
    ] {
      let call = ServiceInterface.GetInterfaceDescription(interface: name)
      VarlinkCall.write(call, into: &client.outlet.output)
      client.flush()
      rig.serve()
      client.receive()
      let reply = try #require(try client.nextReply())
      let structure = try ServiceInterface.GetInterfaceDescription.Reply(
        reply.json.bytes, isStrict: true)
      #expect(structure.description == text)
    }
  }

  @Test func `A listener that is passed on does not block, nor do commands inherit it`() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The system chooses an abstract name.
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
      }
    }
    try #require(bound == 0 && listen(descriptor, 1) == 0)
    let listener = VarlinkListener(owning: descriptor)
    #expect(listener.accept { _ in Issue.record("nobody has connected") })
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func `A call is answered with the reply or the error of its method`() throws {
    #expect(try reply(to: Self.set(true)) == Self.state(true, 100))
    let dim = Self.call("org.example.Lamp.Set", #","parameters":{"on":true,"brightness":40}"#)
    #expect(try reply(to: dim) == Self.state(true, 40))
    #expect(
      try reply(to: dim.replacing("40", with: "400"))
        == #"{"error":"org.example.Lamp.TooBright","parameters":{"most":100}}"#)
  }

  @Test(arguments: [
    (call("org.example.Lamp.Break"), "MethodNotFound", "method", "org.example.Lamp.Break"),
    (call("org.example.Lamps.Set"), "InterfaceNotFound", "interface", "org.example.Lamps"),
    (call("org.varlink.service.Get"), "MethodNotFound", "method", "org.varlink.service.Get"),
    (call("Set"), "MethodNotFound", "method", "Set"),
    (call("org.example.Lamp.Set"), "InvalidParameter", "parameter", "on"),
    (set(true).replacing("true", with: "1"), "InvalidParameter", "parameter", "on"),
    (set(true).replacing("}}", with: #","x":1}}"#), "InvalidParameter", "parameter", "x"),
    (
      call("org.varlink.service.GetInfo", #","parameters":{"x":1}"#), "InvalidParameter",
      "parameter", "x"
    ),
    (set(true, #","upgrade":true"#), "MethodNotImplemented", "method", "org.example.Lamp.Set"),
  ])
  func `What the service cannot do is an error of org varlink service`(
    call: String, error: String, member: String, value: String
  ) throws {
    #expect(
      try reply(to: call)
        == #"{"error":"org.varlink.service.\#(error)","parameters":{"\#(member)":"\#(value)"}}"#)
  }

  @Test func `A oneway call is carried out, and gets neither a reply nor an error`() throws {
    let oneway = Self.set(true, #","oneway":true"#)
    #expect(try rig.replies(to: oneway, from: client) == [])
    #expect(try rig.replies(to: oneway.replacing("Set", with: "Break"), from: client) == [])
    let watch = Self.watch.replacing("more", with: "oneway")
    #expect(try rig.replies(to: watch, from: client) == [])
    #expect(try reply(to: Self.watch) == Self.state(true, 100, #","continues":true"#))
  }

  @Test func `A stream lasts longer than its method, and the next call waits for its end`() throws {
    let error = #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#
    #expect(try reply(to: Self.call("org.example.Lamp.Watch")) == error)
    let first = try rig.replies(to: "\(Self.watch)\0\(Self.set(true))", from: client)
    #expect(first == [Self.state(false, 100, #","continues":true"#)])
    let other = try rig.connect()
    #expect(try rig.replies(to: Self.set(true), from: other) == [Self.state(true, 100)])
    #expect(rig.arrived(at: client) == [Self.state(true, 100, #","continues":true"#)])
    other.outlet.output += Array("\(Self.set(false))\0".utf8)
    other.flush()
    // The next call was there before, so no event follows that could wake the loop.
    for _ in 0..<2 { rig.server.step(msec: 0) }
    #expect(rig.arrived(at: other) == [Self.state(false, 100)])
    #expect(rig.arrived(at: client) == [Self.state(false, 100), Self.state(true, 100)])
  }

  @Test func `A stream is closed when its client has gone`() throws {
    do {
      let gone = try rig.connect()
      _ = try rig.replies(to: Self.watch, from: gone)
      #expect(rig.lamp.watches.map(\.isOpen) == [true])
    }
    rig.serve()
    #expect(rig.lamp.watches.map(\.isOpen) == [false])
  }

  @Test func `A client that reads slowly gets its whole stream`() throws {
    rig.server.nowMsec = { 0 }
    _ = try reply(to: Self.watch)
    let stream = try #require(rig.lamp.watches.first)
    let count = 10_000
    for _ in 0..<count { stream.send(.init(state: .init(on: true, brightness: 100))) }
    stream.end(with: .init(state: .init(on: false, brightness: 100)))
    var got: [String] = []
    while got.last?.contains("continues") != false, !client.hasInputEnded {
      got += rig.arrived(at: client)
      rig.serve()
    }
    #expect(got.count == count + 1 && !client.hasInputEnded)
  }

  @Test func `A client that reads a little in each ten seconds keeps its stream, until it stops`()
    throws
  {
    var nowMsec: Int64 = 0
    rig.server.nowMsec = { nowMsec }
    _ = try reply(to: Self.watch)
    let stream = try #require(rig.lamp.watches.first)
    for _ in 0..<20_000 { stream.send(.init(state: .init(on: true, brightness: 100))) }
    // Less than poll(2) calls room, so that only what is sent shows that the client reads.
    for _ in 0..<10 {
      client.receive()
      nowMsec += 9_000
      rig.serve()
      #expect(rig.lamp.watches.map(\.isOpen) == [true])
    }
    nowMsec += 10_000
    rig.serve()
    #expect(rig.lamp.watches.map(\.isOpen) == [false])
  }

  @Test func `A client is disconnected if the service forgets its call`() throws {
    rig.lamp.isSlow = true
    #expect(try rig.replies(to: Self.set(true), from: client) == [])
    rig.lamp.late = nil
    rig.serve()
    #expect(rig.arrived(at: client) == [] && client.hasInputEnded)
  }

  @Test func `An error after the begin of a stream leaves the connection open`() throws {
    rig.lamp.isSlow = true
    let error = #"{"error":"org.example.Lamp.TooBright","parameters":{"most":1}}"#
    #expect(try reply(to: Self.watch) == error)
    rig.lamp.isSlow = false
    #expect(try reply(to: Self.set(true)) == Self.state(true, 100))
  }

  @Test func `A call is answered later, and the next one of its client waits`() throws {
    rig.lamp.isSlow = true
    #expect(try rig.replies(to: Self.set(true), from: client) == [])
    #expect(try rig.replies(to: Self.set(false), from: client) == [])
    rig.lamp.isSlow = false
    rig.lamp.late?.end(with: .init(state: .init(on: true, brightness: 7)))
    rig.serve()
    #expect(rig.arrived(at: client) == [Self.state(true, 7), Self.state(false, 100)])
    rig.lamp.isSlow = true
    #expect(try rig.replies(to: Self.set(true), from: client) == [])
    rig.lamp.late?.end(with: LampError.tooBright(most: 3))
    rig.serve()
    #expect(
      rig.arrived(at: client)
        == [#"{"error":"org.example.Lamp.TooBright","parameters":{"most":3}}"#])
    #expect(rig.lamp.late?.isOpen == false)
  }

  @Test(arguments: [(0, 20_000), (.max, 400_000)])
  func `A client that does not read its stream is disconnected`(
    patienceMsec: Int64, most: Int
  ) throws {
    let rig = try LampRig(patienceMsec: patienceMsec)
    let client = try rig.connect()
    _ = try rig.replies(to: Self.watch, from: client)
    let stream = try #require(rig.lamp.watches.first)
    for count in 0..<most where stream.isOpen {
      stream.send(.init(state: .init(on: true, brightness: 100)))
      if count % 100 == 0 { rig.serve() }
    }
    #expect(!stream.isOpen)
    #expect(rig.arrived(at: client).count > 100)
    #expect(client.hasInputEnded)
  }

  @Test(arguments: ["{}", "x", #"{"method":1}"#])
  func `A message that is no call ends the connection`(message: String) throws {
    #expect(try rig.replies(to: message, from: client) == [])
    #expect(client.hasInputEnded)
  }

  @Test func `A client that will send no more gets the replies to what it sent`() throws {
    // More replies than the kernel has room for.
    let count = 6_000
    for _ in 0..<count { client.outlet.output += Array("\(Self.set(true))\0".utf8) }
    while !client.outlet.isDrained {
      client.flush()
      rig.serve()
    }
    shutdown(client.descriptor, Int32(SHUT_WR))
    rig.serve()
    var replies: [String] = []
    while !client.hasInputEnded {
      replies += rig.arrived(at: client)
      rig.serve()
    }
    #expect(replies == Array(repeating: Self.state(true, 100), count: count))
  }

  @Test func `The program waits for descriptors of its own in the same loop`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(rig.server.step(others: [(ends[0], .readable)], msec: 0) == [[]])
    write(ends[1], "x", 1)
    #expect(rig.server.step(others: [(ends[0], .readable)]) == [.readable])
  }

  @Test func `A socket that nobody serves is replaced, and another is left alone`() throws {
    let error = #expect(throws: ListenFailure.self) { try VarlinkListener(path: rig.path) }
    #expect(error?.code == EADDRINUSE)
    #expect(try reply(to: Self.set(true)) == Self.state(true, 100))
    let stale = rig.path + "-stale"
    // A listener whose file stays.
    let file = try VarlinkListener(path: stale)
    rename(stale, stale + "-kept")
    _ = consume file
    rename(stale + "-kept", stale)
    #expect(throws: Never.self) { try VarlinkListener(path: stale) }
    try "x".write(toFile: stale, atomically: true, encoding: .utf8)
    #expect(throws: ListenFailure.self) { try VarlinkListener(path: stale) }
    #expect(try String(contentsOfFile: stale, encoding: .utf8) == "x")
  }
}
