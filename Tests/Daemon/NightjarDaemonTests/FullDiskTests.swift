import Foundation
import Glibc
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// A state folder on a disk of 4 MiB that only the daemon sees: it is mounted in a mount namespace
/// of its own, and disappears with it.
@Suite(.blocking) struct FullDiskTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private func daemon(disk: String = "size=4m") throws -> DaemonProcess {
    try makeFolder("\(rig.path)/nightjar")
    return try rig.daemon { $0.wrapper = wrapper(disk, "exec \"$@\"") }
  }

  /// A command prefix that mounts a tmpfs with these options as state folder, and runs a script.
  private func wrapper(_ disk: String, _ script: String) -> [String] {
    let mount = "PATH=/bin mount -t tmpfs -o \(disk),mode=0700 none \"$0\" && \(script)"
    return [
      "unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", mount,
      "\(rig.path)/nightjar",
    ]
  }

  /// The path of the state folder as the daemon sees it.
  private func folder(of daemon: DaemonProcess) -> String {
    "/proc/\(daemon.process.pid)/root\(daemon.options.stateFolder)"
  }

  /// Uses up all free space.
  private func fill(_ daemon: DaemonProcess) throws {
    let file = open("\(folder(of: daemon))/filling", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: 65536)
    for size in [zeros.count, 4096, 1] { while write(file, zeros, size) > 0 {} }
    try #require(errno == ENOSPC)
  }

  private func free(_ daemon: DaemonProcess) throws {
    try #require(unlink("\(folder(of: daemon))/filling") == 0)
  }

  /// Starts timers until one is refused; before that, the log still has room. Returns the refused
  /// name and the accepted ones.
  private func startUntilRefused(
    _ client: Connection, bytes: Int
  ) throws -> (refused: String, started: [String]) {
    let filling = JSONValue.string(String(repeating: "x", count: bytes))
    let data = JSONValue.object([JSONValue.Member("filling", filling)])
    var started: [String] = []
    for number in 0..<4000 {
      let name = "\(bytes)/\(Now.boottimeUsec)/\(number)"
      let call = Call.start(name: name, durationUsec: hour, data: data)
      switch try client.callAll([call], deadline: .after(usec: 30 * second))[0] {
      case .success: started.append(name)
      case .failure(.storageFailed(let reason, let inDoubt)):
        #expect(reason.contains("full") && !inDoubt, "\(reason)")
        return (name, started)
      case .failure(let error): throw error
      }
    }
    throw Unmet(description: "a full disk took 4000 timers with \(bytes) bytes each")
  }

  /// Uses up all free space, in the log too: where a large change fails, a small one may still fit.
  private func exhaust(
    _ daemon: DaemonProcess, _ client: Connection
  ) throws -> (refused: String, started: [String]) {
    try fill(daemon)
    var (refused, started) = try startUntilRefused(client, bytes: 4000)
    for _ in 0..<20 {
      // Every second the daemon tries again to write its own pending changes.
      let isWritable = try? daemon.process.lines.next("a success", within: 1.5) {
        $0.contains("can be written again")
      }
      guard isWritable != nil else { return (refused, started) }
      let more = try startUntilRefused(client, bytes: 0)
      (refused, started) = (more.refused, started + more.started)
    }
    throw Unmet(description: "there is no end to the room on a full disk")
  }

  @Test
  func
    `A change that does not fit on a full disk is refused and has not happened; the rest continues`()
    throws
  {
    guard !Root.isMissing(for: "a state folder on a disk that is full") else { return }
    let daemon = try daemon()
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let (refused, started) = try exhaust(daemon, client)
    #expect(try client.refusal(of: .get(name: refused)) == .timerNotFound(name: refused))
    let names = Set(["tea"] + started)
    #expect(Set(try client.names()) == names)

    // No other change is made either, and questions are answered.
    for call in [
      Call.perform(.pause, name: "tea"), .perform(.remove, name: "tea"),
      .extend(name: "tea", byUsec: second), .start(name: refused, durationUsec: second),
    ] {
      guard case .storageFailed = try client.refusal(of: call) else {
        throw Unmet(description: "\(call) was done")
      }
    }
    #expect(try client.get("tea").state == .running)
    let status = try client.status()
    #expect(!status.storage.ok && status.storage.reason?.contains("full") == true)
    #expect(status.counts.running == Int64(names.count))

    try free(daemon)
    let bound = Now.boottimeUsec + 10 * second
    while try !client.status().storage.ok {
      try #require(Now.boottimeUsec < bound, "it took over 10 s to notice that there is room")
    }
    try client.start(refused, usec: hour)
    _ = try client.timer(.perform(.pause, name: "tea"))

    // The disk has the acknowledged changes, and nothing else.
    let copy = "\(rig.path)/copy"
    try rig.tool(["cp", "-a", folder(of: daemon), copy])
    daemon.process.kill()
    let next = try rig.daemon { $0.stateFolder = copy }
    #expect(Set(try next.connect().names()) == names.union([refused]))
    #expect(try next.connect().get("tea").state == .paused)
    let seqs = try next.ledger { $0.leftSpan != nil }.map(\.seq)
    #expect(seqs == Array(1...Int64(seqs.count)))
  }

  @Test func `Watching clients see the expiry of a timer while the disk is full`() throws {
    guard !Root.isMissing(for: "a timer that rings while the disk is full") else { return }
    let daemon = try daemon()
    let client = try daemon.connect()
    let tea = try client.start("tea", usec: 10 * second)
    let (byWatch, byEvents) = (try daemon.watch(name: "tea"), try daemon.events())
    _ = try exhaust(daemon, client)
    // No timer has expired yet.
    try #require(try client.get("tea").state == .running)

    let rang = try byWatch.event { $0.type == "rang" }
    #expect(rang.name == "tea" && [nil, .busy].contains(rang.lateCause))
    // The time of the ring does not include the 3 s that the daemon waits for the disk. Without the
    // lateness, which a busy machine causes, it is exact.
    let rangAfter = rang.timeUsec - tea.startedUsec
    #expect(rangAfter < 12 * second)
    #expect(abs(rangAfter - (rang.lateUsec ?? 0) - 10 * second) < 50 * millisecond)
    // The daemon waits 3 s for the disk, not until the disk can be written again. A busy machine
    // adds to that.
    #expect(Now.realtimeUsec - rang.timeUsec < 20 * second)
    #expect(try client.get("tea").state == .over)
    #expect(try !client.status().storage.ok)

    // The ledger has the event as soon as the disk can be written.
    try free(daemon)
    #expect(try byEvents.event { $0.type == "rang" }.name == "tea")
    #expect(try client.get("tea").state == .over)
  }

  @Test func `A watch that begins while the disk is full gets the timers and the rings`() throws {
    guard !Root.isMissing(for: "a watch that begins while the disk is full") else { return }
    let daemon = try daemon()
    let client = try daemon.connect()
    try client.start("tea", usec: 10 * second)
    _ = try exhaust(daemon, client)
    // This watch begins before the ring, when no commit is pending …
    let early = try daemon.watch(name: "tea")
    #expect(try early.expectNext()["timer"]?["state"] == "running")
    #expect(try early.event { $0.type == "rang" }.name == "tea")
    // … and this one afterwards, while the ring still cannot be written.
    #expect(try !client.status().storage.ok)
    let late = try daemon.watch(name: "tea")
    #expect(try late.expectNext()["timer"]?["state"] == "over")
  }

  @Test func `A timer that rings while the disk is full runs its command all the same, and once`()
    throws
  {
    guard !Root.isMissing(for: "a command while the disk is full") else { return }
    let daemon = try daemon()
    let client = try daemon.connect()
    try daemon.start("tea", usec: 10 * second, shell: "echo $NIGHTJAR_SEQ >>\(rig.path)/ran")
    _ = try exhaust(daemon, client)
    try #require(try client.get("tea").state == .running)
    let watch = try daemon.watch(name: "tea")
    let rang = try watch.event { $0.type == .rang }
    // The daemon waits as long again for the record of the command's start.
    #expect(try watch.event { $0.type == .actionEnded }.end == "exited 0")
    #expect(Now.realtimeUsec - rang.timeUsec > 3 * second)
    #expect(try !client.status().storage.ok)
    try free(daemon)
    // The ledger has the run as soon as the disk can be written. Neither that nor another start
    // runs the command again.
    _ = try daemon.end(of: "tea")
    let copy = "\(rig.path)/copy"
    _ = try daemon.settledLedger()
    try rig.tool(["cp", "-a", folder(of: daemon), copy])
    daemon.process.kill()
    let next = try rig.daemon { $0.stateFolder = copy }
    try next.start("egg", running: ["true"])
    _ = try next.end(of: "egg")
    #expect(try String(contentsOfFile: "\(rig.path)/ran", encoding: .utf8) == "\(rang.seq)\n")
    #expect(
      try next.settledLedger().filter { $0.type == .actionStarted && $0.name == "tea" }.count == 1)
  }

  @Test func `SIGTSTP stops the daemon on a full disk too, and the daemon reports it afterwards`()
    throws
  {
    guard !Root.isMissing(for: "a stop while the disk is full") else { return }
    let daemon = try daemon()
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    _ = try exhaust(daemon, client)
    // The daemon waits 3 s for the disk.
    try daemon.stop(within: 8)
    #expect(daemon.process.stateLetter == "T")
    try daemon.proceed()
    let status = try client.status()
    #expect(try #require(status.warning).contains("SIGTSTP"))
    #expect(status.openSpan == nil && status.lastSpan?.causes == ["stop"])
    try free(daemon)
    #expect(try daemon.events(after: 0).event { $0.leftSpan != nil }.leftSpan?.causes == ["stop"])
  }

  @Test func `SIGTERM ends the daemon on a full disk, and the log says what is lost`() throws {
    guard !Root.isMissing(for: "an end while the disk is full") else { return }
    let daemon = try daemon()
    _ = try exhaust(daemon, try daemon.connect())
    #expect(try daemon.terminate() == .exited(1))
    #expect(daemon.process.output.contains("lost"))
  }

  @Test func `A daemon whose disk is full from the start refuses to start with one sentence`()
    throws
  {
    guard !Root.isMissing(for: "a start on a disk that is full") else { return }
    try makeFolder("\(rig.path)/nightjar")
    let filling = #"{ PATH=/bin head -c 1M /dev/zero >"$0/filling" 2>/dev/null; exec "$@"; }"#
    let (end, said) = try rig.refusedDaemon { $0.wrapper = wrapper("size=64k", filling) }
    #expect(end == .exited(1))
    #expect(said.split(separator: "\n").count == 1 && said.contains(rig.path), "\(said)")
  }

  /// The doctor's finding about the state folder, before there is one.
  ///
  /// - Parameter disk: the options of a tmpfs, which will contain the folder.
  private func stateFinding(disk: String) throws -> (level: String?, text: String, remedy: String) {
    let folder = "\(rig.path)/disk"
    try makeFolder(folder)
    let script = """
      mount -t tmpfs -o \(disk) none '\(folder)' && exec '\(try Binaries.nightjar())' doctor --json
      """
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": "\(rig.path)/home", "XDG_STATE_HOME": "\(folder)/a/b",
      "NIGHTJAR_SOCKET": "\(rig.path)/none",
    ]
    let output = try rig.run(
      ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script],
      environment: environment
    ).output
    let findings = try JSONValue.parse(output)["findings"]?.arrayValue ?? []
    let finding = try #require(findings.first { $0["check"] == "state" }, "\(output)")
    return (
      finding["level"]?.stringValue,
      finding["text"]?.stringValue?.replacing(folder, with: "DISK") ?? "",
      finding["remedy"]?.stringValue ?? ""
    )
  }

  @Test(arguments: ["size=64k", "size=1m", "size=64m,nr_inodes=3"])
  func `Before the first start, the doctor says that a disk has no room for the timers`(
    disk: String
  ) throws {
    guard !Root.isMissing(for: "a disk that is full before the first start") else { return }
    let found = try stateFinding(disk: disk)
    #expect(found.level == "fault", "\(found)")
    #expect(
      found.text
        == "the daemon cannot keep its timers in DISK/a/b/nightjar: DISK: No space left on device")
    #expect(found.remedy.hasPrefix("make room there: "), "\(found)")
  }

  @Test func `The doctor is content with a disk if and only if a daemon can start on it`() throws {
    guard !Root.isMissing(for: "a start on a small disk") else { return }
    let (bytes, files) = Limits.freeAtStart
    // The folder itself is a file, too.
    let disk = "size=\(bytes),nr_inodes=\(files + 1)"
    let found = try stateFinding(disk: disk)
    #expect(found.level == "ok" && found.text.hasPrefix("DISK/a/b/nightjar, "), "\(found)")
    try daemon(disk: disk).connect().start("tea", usec: hour)
  }
}
