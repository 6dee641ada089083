import Glibc
import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarTime
import Varlink

/// Examines the daemon, the services on which it depends, and its configuration.
struct Examination {
  let socket: SocketOption
  /// Whether the daemon should ring as a test.
  let rings: Bool

  func findings() -> [Finding] {
    var session: Session?
    var findings: [Finding] = []
    do throws(CommandError) {
      session = try Session.openIfRunning(socket)
      findings.append(socketFinding(session))
    } catch {
      findings.append(Finding(check: "socket", fault: error))
    }
    var status: Wire.Status.Reply?
    // The command's own clock, read before and after the daemon reads its clock.
    var (earliestUsec, latestUsec) = (LocalTime.nowUsec(), LocalTime.nowUsec())
    if let session {
      do throws(CommandError) {
        earliestUsec = LocalTime.nowUsec()
        status = try session.status()
        latestUsec = LocalTime.nowUsec()
      } catch {
        findings.append(Self.noAnswer(error))
      }
    }
    if let status { findings.append(daemon(status)) }
    findings += service(status)
    findings.append(Self.state(status?.storage.stateDirectory ?? Environment.stateDirectory))
    if let status {
      findings.append(sleep(status))
      if status.sleep.seen { findings.append(inhibitor(status)) }
      findings.append(wake(status))
      findings.append(.fine("presence", status.presence.sentence))
      if rings, let session {
        findings.append(testRing(session))
      } else {
        findings.append(ring(status.ring))
      }
      let ourUsec = earliestUsec...max(earliestUsec, latestUsec)
      findings += [clock(status, ourUsec), database(status)]
      if let session { findings += alarms(session, status) }
    }
    let configuration = Self.configuration(status, path: Presets.path)
    findings += configuration
    if let warning = status.flatMap(Self.warning) { findings.append(warning) }
    // In a file that is wrong as a whole, each reader finds the same mistake. The first reports it.
    let isReported = isFileWrong && configuration.contains { $0.level == .fault }
    if !isReported { findings.append(presets()) }
    findings += Self.bridge(
      path: isReported ? nil : Presets.path, isSynchronized: status?.clockSynchronized != false)
    let hooks = HookFolder(beside: Presets.path)
    findings += Self.hooks(hooks)
    return findings + (Self.shared.map { Self.shelf("\($0)/hooks", hooks) } ?? [])
  }

  // MARK: The daemon

  private func socketFinding(_ session: Session?) -> Finding {
    guard let session else {
      if let id = ServiceUnit.mainProcessID {
        return .fault(
          "socket",
          "nightjar.service runs (process \(id)), and no client can reach it: its socket is gone",
          "systemctl --user stop nightjar.service && systemctl --user restart "
            + "nightjar.socket; no timer is lost")
      }
      return .fault("socket", "no daemon answers", "nightjar status starts one")
    }
    return .fine("socket", session.path)
  }

  private func daemon(_ status: Wire.Status.Reply) -> Finding {
    let (ours, theirs) = (NightjarVersion.current, status.version)
    guard ours == theirs else {
      return .fault(
        "daemon", "nightjard is of version \(theirs), and nightjar of version \(ours)",
        "restart the daemon: systemctl --user restart nightjar.service, or "
          + "kill -TERM \(status.pid); no timer is lost")
    }
    return .fine("daemon", "nightjard \(theirs), process \(status.pid)")
  }

  private static func noAnswer(_ error: CommandError) -> Finding {
    // An error that is not about a missing answer has a remedy of its own.
    guard error.failure == .call(.timedOut) else { return Finding(check: "daemon", fault: error) }
    return .fault(
      "daemon", "\(ClientError.timedOut)",
      ServiceUnit.managerRuntimeDirectory == nil
        ? "its log is nightjard.log in the state folder"
        : "its log: journalctl --user -e -u nightjar.service")
  }

  // MARK: The service manager

  private func service(_ status: Wire.Status.Reply?) -> [Finding] {
    guard ServiceUnit.managerRuntimeDirectory != nil else {
      let text = "a daemon runs until it is ended, and the next command starts one"
      return [.fine("service", "no systemd --user here: \(text)")]
    }
    return [unit(status), linger()]
  }

  private func unit(_ status: Wire.Status.Reply?) -> Finding {
    guard let unit = ServiceUnit.properties else {
      return .advice("service", "systemctl --user does not answer")
    }
    if unit["LoadState"] == "masked" {
      return .advice(
        "service", "nightjar.service is masked", "systemctl --user unmask nightjar.service")
    }
    guard unit["LoadState"] == "loaded" else {
      return .advice(
        "service", "systemd does not know nightjar.service",
        "make install puts it where systemd looks")
    }
    if unit["ActiveState"] == "failed" {
      return .fault(
        "service", "nightjar.service has failed",
        "see why with journalctl --user -u nightjar.service, then systemctl --user restart "
          + "nightjar.service")
    }
    if let status, unit["MainPID"] != "\(status.pid)" {
      return .advice(
        "service",
        "the daemon that answers is not nightjar.service: systemd does not restart it, and "
          + "cannot hold its connections",
        "kill -TERM \(status.pid); systemctl --user start nightjar.socket nightjar.service")
    }
    guard unit["UnitFileState"]?.hasPrefix("enabled") == true else {
      return .advice(
        "service",
        "nightjar.service does not start by itself: timers ring late until a command starts it",
        "systemctl --user enable nightjar.socket nightjar.service")
    }
    return .fine("service", "nightjar.service, from each login on")
  }

  /// The finding about lingering (loginctl(1)): whether the user's service manager, and the daemon
  /// with it, keeps running after the user's last logout.
  private func linger() -> Finding {
    let said = ProgramOutput.of(
      ["loginctl", "show-user", "\(getuid())", "--property=Linger"], environment: [:],
      within: ServiceUnit.timeoutUsec)
    switch said?.split(separator: "\n").first {
    case "Linger=yes": return .fine("linger", "the daemon stays when you log out")
    case "Linger=no":
      return .advice(
        "linger",
        "the daemon ends with your last logout: timers that expire then ring late, at the next login",
        "loginctl enable-linger")
    default:
      return .advice("linger", "logind does not say whether the daemon stays when you log out")
    }
  }

  // MARK: Sleep

  private func sleep(_ status: Wire.Status.Reply) -> Finding {
    guard !status.sleep.seen else { return .fine("sleep", "logind announces it") }
    let reason = status.sleep.reason.map { " (\($0))" } ?? ""
    return .advice(
      "sleep", "detected from the clocks afterwards, not announced\(reason)",
      "where the machine is to sleep: install and start dbus and systemd-logind")
  }

  private func inhibitor(_ status: Wire.Status.Reply) -> Finding {
    if status.sleep.inhibitor {
      return .fine("inhibitor", "the machine sleeps only when all is on disk")
    }
    guard status.openSpan == nil else {
      return .fine("inhibitor", "none is held while time is hidden")
    }
    guard let reason = status.sleep.reason else {
      return .advice("inhibitor", "logind has not granted it yet; look again")
    }
    return .fault(
      "inhibitor", "logind does not wait for the daemon: \(reason)",
      status.sleep.denied
        ? "logind asks polkit: install polkitd"
        : "the daemon asks again; see what logind does with systemctl status systemd-logind")
  }

  private func wake(_ status: Wire.Status.Reply) -> Finding {
    guard !status.wake.can else { return .fine("wake", "--wake wakes the machine") }
    let reason = status.wake.reason ?? "the reason is not known"
    return .advice("wake", "no timer can wake the machine: \(reason)", wakeRemedy(status.wake))
  }

  /// The folder share/nightjar under the prefix of the running program, where `make install` puts
  /// files. Nil if the program is not installed.
  private static var shared: String? {
    guard let path = ProcessState.ownExecutable, path.hasSuffix("/bin/nightjar") else { return nil }
    return "\(path.dropLast("/bin/nightjar".count))/share/nightjar"
  }

  /// The advice that lets the daemon wake the machine. Nil if the daemon can already wake it, or if
  /// the reason is another one than the missing capability.
  func wakeRemedy(_ wake: Wire.Wake) -> String? {
    guard !wake.can, wake.obstacle == .capability else { return nil }
    let file = "\(Self.shared ?? "systemd")/wake.conf"
    return "read \(file) and copy it to ~/.config/systemd/user/nightjar.service.d/"
  }

  // MARK: A ring

  /// The advice that makes a ring visible and audible; nil if a ring is both.
  private func remedy(_ ring: Wire.RingReport) -> String? {
    var remedies: [String] = []
    if !ring.seen { remedies.append("start a notification server, such as dunst or mako") }
    if RingText(ring).isSuppressed { remedies.append(Self.pauseRemedy(of: ring.server)) }
    if !ring.heard {
      remedies.append(
        "have PipeWire or PulseAudio run, and pw-play, paplay or aplay installed (pipewire-bin, "
          + "pulseaudio-utils, alsa-utils)")
    }
    return remedies.isEmpty ? nil : remedies.joined(separator: "; ")
  }

  /// How to show notifications again, and which sounds play while they are paused.
  private static func pauseRemedy(of server: String?) -> String {
    let command = server?.hasPrefix("dunst") == true ? ": dunstctl set-paused false" : ""
    return "turn do not disturb off\(command); while it is on, alarms make their sound all the "
      + "same, and other timers none: --disturb and 'disturb' in the configuration change that"
  }

  private func ring(_ ring: Wire.RingReport) -> Finding {
    let text = RingText(ring)
    return Finding(
      check: "ring", level: text.isAsConfigured ? .fine : .advice, text: text.expectedEffect,
      remedy: text.isAsConfigured ? nil : remedy(ring))
  }

  /// Rings as a test, and reports what the user could notice of the ring. A ring that the user
  /// cannot have noticed is a fault.
  private func testRing(_ session: Session) -> Finding {
    do throws(CommandError) {
      let reply = try session.call(Call(Wire.TestRing()))
      let ring = try CommandError.explaining { () throws(ClientError) in
        try Wire.TestRing.Reply(reply).ring
      }
      let text = RingText(ring)
      let isNoticed = ring.heard || ring.seen && !text.isSuppressed
      let level: Finding.Level = text.isAsConfigured ? .fine : isNoticed ? .advice : .fault
      return Finding(
        check: "ring", level: level, text: text.actualEffect,
        remedy: level == .fine ? nil : remedy(ring))
    } catch {
      return .fault("ring", "\(error.message)")
    }
  }

  // MARK: Configuration, clock and storage

  /// Whether the configuration file is no valid TOML, or has a table that no program reads.
  private var isFileWrong: Bool {
    guard let path = Presets.path else { return false }
    do throws(ConfigError) { _ = try ConfigFile.read(path: path) } catch { return true }
    return false
  }

  /// The finding about the presets, the command line's part of the configuration file.
  private func presets() -> Finding {
    do throws(ConfigError) {
      let presets = try Presets.readAll()
      guard let path = presets.path else {
        return .fine("presets", "none" + (Presets.path.map { "; they would be in \($0)" } ?? ""))
      }
      let names = presets.ownNames.isEmpty ? "none" : presets.ownNames.joined(separator: ", ")
      return .fine("presets", "\(names), in \(path)")
    } catch {
      return .fault("presets", error.description, "correct it; no timer is touched by it")
    }
  }

  /// - Parameter ourUsec: two readings of the command's own wall clock. The daemon read its wall
  ///   clock between them.
  private func clock(_ status: Wire.Status.Reply, _ ourUsec: ClosedRange<Int64>) -> Finding {
    let theirUsec = status.clocks.realtimeUsec
    let offUsec = max(0, ourUsec.lowerBound - theirUsec, theirUsec - ourUsec.upperBound)
    guard offUsec < 5_000_000 else {
      return .fault(
        "clock", "the daemon's wall clock is \(SpanFormat.text(usec: offUsec, units: 1)) off ours",
        "restart the daemon")
    }
    guard status.clockSynchronized else {
      return .advice(
        "clock",
        "no service keeps the wall clock right: after a reboot, remaining times are estimates",
        "timedatectl set-ntp true, or run chrony")
    }
    return .fine("clock", "the wall clock is synchronised")
  }

  private func alarms(_ session: Session, _ status: Wire.Status.Reply) -> [Finding] {
    do throws(CommandError) {
      let timers = try session.timers(prefix: nil)
      // The clock is read after the timers. If it were read before, an alarm that rang in between
      // would look skipped.
      let nowUsec = LocalTime.nowUsec()
      return Self.unnoticed(timers, nowUsec: nowUsec) + Self.alarms(timers, nowUsec: nowUsec)
        + [nextAlarm(timers, status, nowUsec: nowUsec)]
    } catch {
      return [.fault("alarms", "\(error.message)")]
    }
  }

  private func database(_ status: Wire.Status.Reply) -> Finding {
    let storage = status.storage
    guard storage.ok else {
      return .fault(
        "database", storage.reason ?? "nothing can be saved",
        "make room in \(storage.stateDirectory), or make it writable; changes are refused "
          + "until then")
    }
    if let loss = storage.loss {
      let copy = loss.keptAs.map { "; what was found is \(storage.stateDirectory)/\($0)" } ?? ""
      return .fault(
        "database", loss.sentence + copy,
        "see with nightjar list what is there; to restore a backup, stop the daemon, then "
          + "put nightjar.db in its place and remove nightjar.db-wal and nightjar.db-witness")
    }
    // The daemon reports this file until the daemon is restarted, even if the user has moved the
    // file away.
    if let path = storage.setAside, Environment.fileExists("\(storage.stateDirectory)/\(path)") {
      return .fault(
        "database",
        "it was damaged, and begun anew; the old one is \(storage.stateDirectory)/\(path)",
        "restore a backup, or move that file away and restart the daemon")
    }
    return .fine("database", "\(storage.stateDirectory), events up to number \(storage.lastSeq)")
  }
}
