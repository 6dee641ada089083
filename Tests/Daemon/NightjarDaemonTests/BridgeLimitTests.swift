import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A broker that takes only short messages, with a real mosquitto.
@Suite(.blocking) struct BridgeLimitTests {
  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let desktop: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig(brokerSettings: ["max_packet_size 1200"])
    laptop = try rig.machine("laptop", others: "start")
    desktop = try rig.machine("desktop")
  }

  private func start(_ name: String, messageBytes: Int) throws {
    let message = String(repeating: "m", count: messageBytes)
    try rig.said("start \(name) 1h --message \(message)", on: laptop)
  }

  /// The names of the laptop's timers on the desktop.
  private func seen() throws -> Set<String> {
    Set(try desktop.connect(to: "laptop").names())
  }

  @Test func `A timer that is too long is reported by name, with the reason and a remedy`() throws {
    try start("small", messageBytes: 1)
    try start("big", messageBytes: 1000)
    try awaitTrue("the timer is not reported") { try laptop.status().reason != nil }
    let status = try laptop.status()
    let reason = status.reason ?? ""
    #expect(status.timers == 1 && status.unpublished == [])
    #expect(reason.hasPrefix("the broker takes messages of at most 1200 bytes"), "\(reason)")
    #expect(reason.hasSuffix("too few for 'big'"), "\(reason)")
    let text = try rig.said("mqtt status", on: laptop)
    #expect(text.contains("1 of this machine are on the broker"), "\(text)")
    #expect(text.contains("Refused") && text.contains("too few for 'big'"), "\(text)")
    let doctor = try rig.nightjar(["doctor"], on: laptop).output
    #expect(doctor.contains("too few for 'big'") && doctor.contains("max_packet_size"), "\(doctor)")
    // It grew after it had been published: no old value stays.
    try awaitTrue("small is not there") { try seen() == ["small"] }
    let long = String(repeating: "x", count: 900)
    try rig.said(#"update small --data {"x":"\#(long)"}"#, on: laptop)
    try awaitTrue("an old value stays") { try seen() == [] }
    // Both are gone, and so is the trouble.
    for name in ["small", "big"] { try rig.said("remove \(name)", on: laptop) }
    try awaitTrue("the trouble stays") { try laptop.status().reason == nil }
  }

  @Test func `What cannot be sent is refused or answered at once, without a doubt`() throws {
    try start("tea", messageBytes: 1)
    try start("big", messageBytes: 1000)
    try awaitTrue("tea is not there") { try seen() == ["tea"] }
    let begunUsec = Now.boottimeUsec
    // The call is too long, and is not made.
    let call = try rig.nightjar(
      ["@laptop", "start", "new", "1h", "--message", String(repeating: "m", count: 1000)],
      on: desktop)
    let sentence = "this needs a longer one; nothing was changed"
    #expect(call.end == .exited(1) && call.output.contains(sentence), "\(call)")
    #expect(try !laptop.daemon.connect().names().contains("new"))
    // The change is made, and its answer is too long.
    let change = try rig.nightjar(["@laptop", "pause", "big"], on: desktop)
    #expect(change.end == .exited(1))
    #expect(change.output.hasSuffix("; the change was made"), "\(change)")
    #expect(try laptop.daemon.connect().get("big").state == .paused)
    // A question, too.
    for _ in 1...3 { _ = try rig.nightjar(["@laptop", "extend", "tea", "1min"], on: desktop) }
    let why = try rig.nightjar(["@laptop", "why", "tea"], on: desktop)
    let answer = why.output
    #expect(answer.contains("that the broker takes") && !answer.contains("was made"), "\(why)")
    #expect(Now.boottimeUsec - begunUsec < 10 * 4 * second)
    #expect(!call.output.contains("not known") && !change.output.contains("not known"))
  }
}
