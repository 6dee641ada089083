import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Sessions with changing members, through mosquitto's dynamic-security plugin, as described in
/// nightjar-sessions(7).
@Suite(.blocking) struct BridgeMemberTests {
  private let rig: BridgeRig
  /// The commands of the examples on the page, in order.
  private let examples: [[String]]

  init() throws {
    rig = try BridgeRig(hasPort: true, users: ["alex", "kim", "sam"], hasDynamicSecurity: true)
    // A line that ends in \e continues on the next.
    let text = try Documentation.text(of: "Sources/Manual/nightjar-sessions.7")
      .replacing("\\e\n", with: "")
    examples = text.components(separatedBy: ".Bd -literal").map { part in
      part.split(separator: "\n").filter { $0.hasPrefix("$ ctrl ") }.map { String($0.dropFirst(2)) }
    }.filter { !$0.isEmpty }
  }

  /// Runs the commands of an example, for another person instead of kim.
  private func type(_ index: Int, for person: String = "kim") throws {
    for command in examples[index] {
      let words = command.replacing("PASSWORD", with: person).replacing("kim", with: person)
        .split(separator: " ").dropFirst().map(String.init)
      let port = try #require(rig.port)
      try rig.rig.tool(
        [
          "mosquitto_ctrl", "-h", "127.0.0.1", "-p", "\(port)", "-u", "admin", "-P", "admin",
          "dynsec",
        ] + words, package: "mosquitto")
    }
  }

  /// What a machine shows of the laptop's timer.
  private func seen(on machine: BridgeRig.Machine) throws -> String {
    try rig.nightjar(["@run", "show", "alex/laptop"], on: machine).output
  }

  @Test func `Members are added and removed while the broker runs, as the page says`() throws {
    try #require(examples.count == 5)
    let (person, session, member, out) = (0, 1, 2, 3)
    for name in ["alex", "kim", "sam"] { try type(person, for: name) }
    try type(session)
    for name in ["alex", "kim"] { try type(member, for: name) }
    let laptop = try rig.machine("laptop", of: "alex")
    let phone = try rig.machine("phone", of: "kim")
    let tablet = try rig.machine("tablet", of: "sam")
    try rig.said(#"stopwatch run --data {"d":1}"#, on: laptop)
    #expect(
      try rig.said("share run --group run4711", on: laptop)
        == "run: shared with run4711, with no other member so far")
    #expect(
      try rig.said("join run --group run4711", on: phone)
        == "run: joined in run4711, members alex/laptop, kim/phone")
    let refused = try rig.nightjar(["join", "run", "--group", "run4711"], on: tablet).output
    #expect(
      refused.contains("does not let this person take part in the group run4711"), "\(refused)")

    try type(member, for: "sam")
    // The plugin closes the connections of changed users.
    try tablet.bridge.lines.next("the loss", within: 60) { $0.contains("Administrative action") }
    try tablet.bridge.lines.next("the connection", within: 60) { $0.contains("connected to") }
    try rig.said("join run --group run4711", on: tablet)
    try awaitTrue("sam does not see the laptop's timer") {
      try seen(on: tablet).contains(#"{"d":1}"#)
    }

    try type(out, for: "sam")
    try awaitTrue("sam is not refused") {
      try tablet.status().sessions.first?.reason?.contains("does not let sam take part") == true
    }
    try rig.said(#"update run --data {"d":2}"#, on: laptop)
    try awaitTrue("kim does not see the change") { try seen(on: phone).contains(#"{"d":2}"#) }
    #expect(try seen(on: tablet).contains(#"{"d":1}"#))
    #expect(try tablet.status().sessions.first?.complete == false)
    // The session ends for the others, too.
    try type(4, for: "kim")
    try awaitTrue("kim is not refused") {
      try phone.status().sessions.first?.reason?.contains("does not let kim take part") == true
    }
  }
}
