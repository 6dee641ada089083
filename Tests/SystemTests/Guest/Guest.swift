import Foundation
import Glibc
import NightjarTestSupport
import Varlink

/// A machine of the test that really sleeps: a small Debian with systemd, logind and a lingering
/// user, in QEMU, with the installation in `NIGHTJAR_INSTALLED` at /usr/local.
///
/// Its disk is a layer over the image and is removed with the test. Data on the disk survives a
/// reboot and a power cut. A power cut loses the machine's memory, and so all data that was not
/// synced; the disk has no cache of its own that could lose more.
///
/// One test after another uses it, so nothing in it is guarded; each test passes it to the next.
final class Guest: @unchecked Sendable {
  /// One power-on: a process and its two serial lines.
  private struct Machine {
    let qemu: ChildProcess
    let shell: GuestShell
  }

  /// In seconds; for busy machines that are slower than the measured 12 s.
  static let bootBound = 120.0
  private static let sleepBound = 60.0

  private let rig: Rig
  private let image: String
  private let hasNetwork: Bool
  private var machine: Machine?
  /// The ID of its present boot.
  private(set) var bootID = ""

  /// Creates its disks without switching it on.
  ///
  /// - Parameter hasNetwork: whether it has a network, in which this machine is 10.0.2.2.
  init(hasNetwork: Bool = false) throws {
    rig = try Rig()
    self.hasNetwork = hasNetwork
    image = try Self.variable("NIGHTJAR_GUEST")
    let installed = try Self.variable("NIGHTJAR_INSTALLED") + "/usr/local"
    for path in ["\(image)/vmlinuz", "\(image)/root.img", "\(installed)/bin/nightjard"] {
      guard access(path, R_OK) == 0 else {
        throw Unmet(description: "there is no \(path); run `make test-suspend`")
      }
    }
    try rig.tool(
      ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", "\(image)/root.img", disk],
      package: "qemu-utils")
    try rig.tool(["truncate", "--size=512M", payload])
    try rig.tool(
      ["mke2fs", "-q", "-F", "-t", "ext4", "-E", "root_owner=0:0", "-d", installed, payload],
      package: "e2fsprogs")
  }

  private var disk: String { "\(rig.path)/disk.qcow2" }
  private var payload: String { "\(rig.path)/payload.img" }
  private var console: String { "\(rig.path)/console.log" }

  private static func variable(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
      throw Unmet(description: "\(name) is not set; run `make test-suspend`")
    }
    return value
  }

  // MARK: Power

  /// Switches it on, and returns when the agent and the user's manager are ready.
  ///
  /// - Parameter time: the initial time of its battery clock, in UTC, in QEMU's format; nil: the
  ///   true time.
  func boot(at time: String? = nil) throws {
    precondition(machine == nil, "it is on")
    let shell = try GuestShell()
    let qemu = try rig.start(
      arguments(time: time ?? "utc"), isFed: true, descriptors: [Self.shellDescriptor: shell.peer],
      package: "qemu-system-x86")
    shell.peerIsPassedOn()
    machine = Machine(qemu: qemu, shell: shell)
    try qemu.feed(#"{"execute": "qmp_capabilities"}"#)
    try awaitBoot()
  }

  /// Cuts its power: it has no time to write anything.
  func cutPower() throws {
    try current.qemu.kill()
    machine = nil
  }

  /// Reboots it in an orderly way.
  func reboot() throws {
    _ = try current.shell.send("systemctl reboot", as: .root)
    try awaitEvent("RESET", within: Self.sleepBound)
    try awaitBoot()
  }

  private func awaitBoot() throws {
    do {
      bootID = try current.shell.awaitBoot(within: Self.bootBound)
    } catch {
      let log = try? String(contentsOfFile: console, encoding: .utf8)
      let last = log?.split(separator: "\n").suffix(20).joined(separator: "\n") ?? "nothing"
      throw Unmet(description: "\(error)\nits console says:\n\(last)\n\(try current.qemu.output)")
    }
  }

  private var current: Machine {
    get throws {
      guard let machine else { throw Unmet(description: "the guest is off") }
      return machine
    }
  }

  private static let shellDescriptor: Int32 = 9

  /// Emulated in software even if the processor could help, so that it sleeps and wakes the same
  /// everywhere. With an old board, because QEMU's newer one does not wake from a second sleep.
  private func arguments(time: String) -> [String] {
    [
      "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-M", "pc",
      "-m", "512", "-nodefaults", "-display", "none",
      "-nic", hasNetwork ? "user,model=virtio-net-pci" : "none",
      "-kernel", "\(image)/vmlinuz", "-append",
      "root=/dev/nvme0n1 rw console=ttyS0 quiet mitigations=off panic=-1 no_console_suspend "
        + "systemd.show_status=0 net.ifnames=0",
      "-drive", "if=none,id=root,file=\(disk),format=qcow2,cache=writeback",
      "-device", "nvme,drive=root,serial=root",
      "-drive", "if=none,id=payload,file=\(payload),format=raw,snapshot=on",
      "-device", "nvme,drive=payload,serial=payload",
      "-rtc", "base=\(time),clock=host",
      "-chardev", "file,id=console,path=\(console),append=on", "-serial", "chardev:console",
      "-chardev", "socket,id=shell,fd=\(Self.shellDescriptor)", "-serial", "chardev:shell",
      "-qmp", "stdio",
    ]
  }

  // MARK: Commands

  /// Runs a shell command as root, and returns its result.
  func run(_ command: String, within seconds: Double = 60) throws -> CommandOutcome {
    try run(command, as: .root, within: seconds)
  }

  /// Runs a shell command as the user, with the environment of a login.
  func userRun(_ command: String, within seconds: Double = 60) throws -> CommandOutcome {
    try run(command, as: .tester, within: seconds)
  }

  /// Runs a shell command as root that must succeed.
  @discardableResult func root(_ command: String, within seconds: Double = 60) throws -> String {
    try run(command, within: seconds).output(of: command)
  }

  /// Runs a shell command as the user that must succeed.
  @discardableResult func user(_ command: String, within seconds: Double = 60) throws -> String {
    try userRun(command, within: seconds).output(of: command)
  }

  private func run(
    _ command: String, as user: GuestShell.User, within seconds: Double
  ) throws -> CommandOutcome {
    let shell = try current.shell
    return try shell.outcome(of: shell.send(command, as: user), command, within: seconds)
  }

  // MARK: Sleep

  /// A sleep that has ended.
  struct Sleep {
    /// When the guest was awake, on its own wall clock, measured by the first program that ran.
    let wokenUsec: Int64
    /// When the machine was woken, on this machine's wall clock. An emulated machine takes some
    /// time from then until its first program runs.
    let wakeupUsec: Int64
    /// How long it slept, by the times of QEMU's events.
    let lengthUsec: Int64
    /// From the request of the sleep until the end of the command that made it, by this machine's
    /// clock.
    let commandUsec: Int64
  }

  /// Suspends it through logind, as closing a lid does, and wakes it from outside after `seconds`;
  /// nil: a timer in the guest has to wake it. Returns when logind has reported the end.
  @discardableResult
  func suspend(seconds: Double?) async throws -> Sleep {
    try await suspend(isWoken: seconds != nil) {
      if let seconds { await elapse(seconds: seconds) }
    }
  }

  /// The same; it is woken when `body` has returned.
  @discardableResult func suspend(while body: () async throws -> Void) async throws -> Sleep {
    try await suspend(isWoken: true, while: body)
  }

  private func suspend(isWoken: Bool, while body: () async throws -> Void) async throws -> Sleep {
    let command = """
      match="type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
      exec 4< <(exec dbus-monitor --system "$match")
      monitor=$!
      grep -q -m1 NameLost <&4
      systemctl suspend && grep -q -m1 'boolean false' <&4
      code=$?
      kill $monitor
      cat /run/woken
      exit $code
      """
    let sentUsec = Now.boottimeUsec
    let number = try current.shell.send(command, as: .root)
    let asleepUsec = try awaitEvent("SUSPEND", within: Self.sleepBound)
    // The guest is woken even if this test fails, because the next test needs it awake.
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    if isWoken { try current.qemu.feed(#"{"execute": "system_wakeup"}"#) }
    let sleep = try sleep(
      from: asleepUsec, bound: Self.sleepBound, endOf: number, "systemctl suspend",
      sentUsec: sentUsec)
    try result.get()
    return sleep
  }

  /// Suspends it without logind until its own clock wakes it. That clock has a resolution of a
  /// second and must not fire before the sleep has begun, so `seconds` is at least three.
  ///
  /// - Parameters:
  ///   - before: a shell command that runs right before the sleep.
  ///   - after: a shell command that runs right after it.
  @discardableResult func sleepUntilAlarm(
    seconds: Int, after before: String = "true", then after: String = "true"
  ) throws -> Sleep {
    let command = "\(before) && rtcwake --mode mem --seconds \(seconds) && \(after) && date +%s%6N"
    let sentUsec = Now.boottimeUsec
    let number = try current.shell.send(command, as: .root)
    let asleepUsec = try awaitEvent("SUSPEND", within: Self.sleepBound)
    return try sleep(
      from: asleepUsec, bound: Self.sleepBound + Double(seconds), endOf: number, command,
      sentUsec: sentUsec)
  }

  /// How far its wall clock is ahead of this machine's, in microseconds: its kernel has read it
  /// from a battery clock with a resolution of a second, at the boot and after each sleep. Accurate
  /// to half the time that a command takes.
  func aheadUsec() throws -> Int64 {
    let begin = Now.realtimeUsec
    let output = try root("date +%s%6N")
    let end = Now.realtimeUsec
    guard let usec = Int64(output) else { throw Unmet(description: "date: \(output)") }
    return usec - (begin + end) / 2
  }

  /// Waits for the end of a sleep and of the command that began it. It sends nothing before,
  /// because input is lost while the receiver of the serial line sleeps.
  private func sleep(
    from asleepUsec: Int64, bound: Double, endOf number: Int, _ command: String, sentUsec: Int64
  ) throws -> Sleep {
    let wakeupUsec = try awaitEvent("WAKEUP", within: bound)
    let outcome = try current.shell.outcome(of: number, command, within: Self.sleepBound)
    let output = try outcome.output(of: command)
    guard let usec = outcome.lines.last.flatMap({ Int64($0) }) else {
      throw Unmet(description: "\(command) did not report its end: \(output)")
    }
    return Sleep(
      wokenUsec: usec, wakeupUsec: wakeupUsec, lengthUsec: wakeupUsec - asleepUsec,
      commandUsec: Now.boottimeUsec - sentUsec)
  }

  /// Waits until QEMU reports an event, or that a command failed.
  ///
  /// - Returns: the time of the event, in microseconds since 1970.
  @discardableResult
  private func awaitEvent(_ name: String, within seconds: Double) throws -> Int64 {
    let line = try current.qemu.lines.next(name, within: seconds) {
      guard let message = try? JSONValue.parse($0) else { return false }
      return message["event"]?.stringValue == name || message["error"] != nil
    }
    let message = try JSONValue.parse(line)
    guard let time = message["timestamp"], let whole = time["seconds"]?.integerValue,
      let rest = time["microseconds"]?.integerValue
    else { throw Unmet(description: "QEMU, awaited to say \(name): \(line)") }
    return whole * second + rest
  }
}
