import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// The values of a command's variables stay in the daemon. The command and its output stay on the
/// machine.
@Suite(.blocking) struct SecretTests {
  private static let secret = "hunter2"
  private static let local = "only-here"

  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let desktop: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig()
    laptop = try rig.machine("laptop")
    desktop = try rig.machine("desktop")
  }

  /// The file to which the command writes the secret.
  private var file: String { "\(laptop.folder)/ran" }

  /// The calls that a test makes, each with its method. Together they use each method of the
  /// interface but the streams.
  private var calls: [(method: String, parameters: String)] {
    let ring = #"""
      "ring":{"exec":["/bin/sh","-c","echo \#(Self.local); echo $TOKEN >>\#(file); exit 1"],
      "on":["paused","rang"],"environment":{"TOKEN":"\#(Self.secret)"}}
      """#
    let step = #"{"name":"work","duration_usec":3600000000}"#
    func start(_ name: String, _ kind: String) -> (String, String) {
      ("Start", #"{"name":"\#(name)",\#(kind),"request":"\#(name)",\#(ring)}"#)
    }
    func each(_ methods: [String], _ name: String, _ more: String = "") -> [(String, String)] {
      methods.map { ($0, #"{"name":"\#(name)"\#(more)}"#) }
    }
    return [
      start("tea", #""duration_usec":3600000000,"repeat":{}"#), start("run", #""stopwatch":true"#),
      start("steps", #""sequence":{"steps":[\#(step),\#(step)]}"#),
      start("egg", #""duration_usec":20000"#),
      // An answer that was stored, and refusals.
      start("tea", #""duration_usec":3600000000,"repeat":{}"#),
      ("Start", #"{"name":"tea","duration_usec":1,\#(ring)}"#),
      ("Update", #"{"name":"tea","ring":{"environment":{"TOKEN":"\#(Self.secret)\u0000"}}}"#),
      ("Update", #"{"name":"tea","ring":{"environment":{"TOKEN":["\#(Self.secret)"]}}}"#),
      ("Update", #"{"name":"tea","ring":{"environment":{"TOKEN":"\#(Self.secret)!"}}}"#),
      ("List", "{}"), ("Status", "{}"), ("TestRing", "{}"), ("ReleaseRings", #"{"hold":1}"#),
      ("Rename", #"{"name":"run","new_name":"race"}"#), ("Understand", #"{"words":"tea"}"#),
    ] + each(["Lap"], "race") + each(["Advance"], "steps")
      + each(["Skip", "Unskip", "Pause", "Why", "Resume", "Stop", "Restart"], "tea")
      + each(["Extend"], "tea", #","by_usec":1"#)
      + each(["Snooze"], "egg", #","by_usec":3600000000"#)
      + each(["Dismiss"], "egg") + each(["Cancel"], "tea", #","undo_id":"a""#)
      + [("Undo", "{}")] + each(["Get", "Why"], "tea")
  }

  /// The replies of a stream up to one that `isLast`.
  private static func replies(_ stream: RawSocket, upTo isLast: (JSONValue) -> Bool) throws
    -> [String]
  {
    var replies: [String] = []
    while let reply = try stream.reply()?.parameters {
      replies.append(reply.text)
      if isLast(reply) { break }
    }
    return replies
  }

  /// All events of the ledger, until tea was removed.
  private func ledger() throws -> [String] {
    try Self.replies(laptop.daemon.rawStream("Events", #"{"after":0}"#)) {
      $0["event"]?["type"] == "removed"
    }
  }

  private static let commands = [
    ["list"], ["show", "tea"], ["show", "race"], ["status"], ["events"], ["why", "tea"],
    ["history"],
  ]

  /// What the command says of the laptop's timers on a machine.
  private func output(_ prefix: [String], on machine: BridgeRig.Machine) throws -> [String] {
    try Self.commands.flatMap { [$0, $0 + ["--json"]] }.map {
      let (end, output) = try rig.nightjar(prefix + $0, on: machine)
      #expect(end == .exited(0), "\($0): \(output)")
      return output
    }
  }

  @Test func `The secrets of a ring are in no reply, no event and no output, nor on the broker`()
    throws
  {
    let published = try rig.follow("nightjar/#", format: "%t %p")
    let watch = try laptop.daemon.rawStream("Watch", "{}")
    let hold = try laptop.daemon.rawStream("HoldRings", "{}")
    var here = [try #require(try hold.reply()?.parameters.text)]
    let events = try laptop.daemon.rawStream("Events", #"{"after":0}"#)
    let socket = try laptop.daemon.rawSocket()
    var refused: [String] = []
    for (method, parameters) in calls {
      if method == "Snooze" {
        here += try Self.replies(events) {
          $0["event"]?["type"] == "action_ended" && $0["event"]?["name"] == "egg"
        }
      }
      let reply = try socket.call(method, parameters)
      here.append(reply.parameters.text)
      if let error = reply.error {
        refused.append("\(method): \(error.split(separator: ".").last ?? "")")
      }
    }
    here += try output([], on: laptop)
    try rig.awaitMirror(of: "laptop", on: desktop)
    var elsewhere = try output(["@laptop"], on: desktop)
    here.append("\(try socket.call("Remove", #"{"name":"tea"}"#).parameters.text)")
    here += try Self.replies(watch) { $0["event"]?["type"] == "removed" } + ledger()
    try published.lines.next("the removal") { $0.contains(#""type":"removed""#) }
    try rig.restartDaemon(of: laptop)
    here += try ledger()
    here.append(try laptop.daemon.rawSocket().call("List", "{}").parameters.text)
    here += [laptop.daemon.process.output, laptop.bridge.output, desktop.bridge.output]
    elsewhere += published.lines.all + [desktop.bridge.output]

    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.secret))
    for text in here + elsewhere { #expect(!text.contains(Self.secret), "\(text)") }
    for text in elsewhere { #expect(!text.contains(Self.local), "\(text)") }
    // The search has read what it must.
    #expect(refused == ["Start: TimerExists", "Update: InvalidValue", "Update: InvalidParameter"])
    for word in ["TOKEN", Self.local, "last_lines"] {
      #expect(here.contains { $0.contains(word) }, "\(word)")
    }
    for word in ["action_ended", "race"] {
      #expect(elsewhere.contains { $0.contains(word) }, "\(word)")
    }
    let methods = Set(calls.map(\.method)).union(["Remove", "Watch", "Events", "HoldRings"])
    let declared = TimersInterface.description.matches(of: /(?m)^method (\w+)/).map { "\($0.1)" }
    #expect(methods == Set(declared))
  }
}
