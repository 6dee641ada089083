import CLinux
import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// `nightjar watch --format` with a real daemon: a line whenever the bar's text changes.
@Suite(.blocking) struct BarTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func bar(_ arguments: String...) throws -> ChildProcess {
    try rig.start(
      [try Binaries.nightjar(), "watch", "--format"] + arguments,
      environment: daemon.clientEnvironment)
  }

  @Test func `A bar has a new line at each shown second, and at each change of state`() throws {
    let bar = try bar("plain")
    try bar.lines.next("that there is nothing") { $0 == "" }
    try client.start("tea", usec: 3 * second)
    try bar.lines.next("that it rang") { $0 == "tea rang" }
    // The bar may show zero for a moment, before the daemon reports the ring.
    let lines = bar.lines.all.filter { $0 != "tea 00:00" }
    #expect(lines == ["", "tea 00:03", "tea 00:02", "tea 00:01", "tea rang"])
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    try bar.lines.next("that there is nothing") { $0 == "" }
  }

  @Test func `A bar for one timer shows no other, even after that timer is started anew`() throws {
    try client.start("tea/green", usec: hour)
    let bar = try bar("plain", "tea")
    try bar.lines.next("that there is nothing") { $0 == "" }
    try client.start("tea", usec: hour)
    try bar.lines.next("tea") { $0.hasPrefix("tea ") }
    _ = try client.timer(.perform(.remove, name: "tea"))
    try bar.lines.next("that there is nothing") { $0 == "" }
    try client.start("tea", usec: 2 * hour)
    try bar.lines.next("tea again") { $0.hasPrefix("tea 0") }
  }

  @Test func `A watch ends when its bar is gone, even if there is nothing to print`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(nj_pipe(&ends) == 0)
    let bar = try rig.start(
      [try Binaries.nightjar(), "watch", "--format", "plain"],
      environment: daemon.clientEnvironment, descriptors: [STDOUT_FILENO: ends[1]])
    close(ends[1])
    var byte: UInt8 = 0
    #expect(read(ends[0], &byte, 1) == 1, "the empty line")
    close(ends[0])
    #expect(try bar.changes.next("its end") { $0.isEnd } == .exited(0))
  }

  @Test func `A closed standard output is an error, and no connection takes its place`() throws {
    let bar = try rig.start(
      ["sh", "-c", "exec \(try Binaries.nightjar()) watch --format plain >&-"],
      environment: daemon.clientEnvironment)
    #expect(try bar.awaitEnd() == .exited(1))
    #expect(bar.output.contains("cannot write the result"))
  }

  @Test func `A bar outlives the daemon, and continues with the next`() throws {
    try client.start("tea", usec: hour)
    _ = try client.timer(.perform(.pause, name: "tea"))
    let bar = try bar("plain")
    try bar.lines.next("tea") { $0 == "tea 01:00:00 paused" }
    daemon.process.kill()
    let next = try rig.daemon()
    _ = try next.connect().timer(.perform(.resume, name: "tea"))
    try bar.lines.next("that it runs") { $0 == "tea 01:00:00" || $0 == "tea 59:59" }
  }
}
