import NightjarClient
import NightjarConfig
import NightjarInterface

// Examines the bridge that connects the user's machines; finds nothing if [mqtt] is not configured.

extension Examination {
  private static let bridgeCheck = "bridge"
  private static let restart = "systemctl --user restart nightjar-mqtt"

  /// Mistakes in `[mqtt]` of the configuration, whether the bridge runs and is connected, and which
  /// machines' clocks are not synchronised.
  ///
  /// - Parameter isSynchronized: whether the clock of this machine is.
  static func bridge(path: String?, isSynchronized: Bool) -> [Finding] {
    var findings: [Finding] = []
    var isConfigured = false
    do throws(ConfigError) {
      isConfigured = try settings(at: path) != nil
    } catch {
      findings.append(
        Finding(
          check: bridgeCheck, level: .fault, text: error.description,
          remedy: "correct it, then \(restart)"))
    }
    do throws(CommandError) {
      if let status = try BridgeSession.openIfRunning()?.status() {
        findings += [bridge(status)] + [unpublished(status)].compactMap(\.self)
        findings += clocks(status, isSynchronized: isSynchronized)
      } else if isConfigured {
        findings.append(
          Finding(
            check: bridgeCheck, level: .fault,
            text: "[mqtt] is configured, and nightjar-mqtt does not run: this machine is not "
              + "connected to the others",
            remedy: "systemctl --user enable --now nightjar-mqtt"))
      }
    } catch {
      findings.append(Finding(check: bridgeCheck, fault: error))
    }
    return findings
  }

  private static func settings(at path: String?) throws(ConfigError) -> BridgeSettings? {
    guard let path, let file = try ConfigFile.read(path: path) else { return nil }
    // The daemon's credentials exist only in the service's unit. The empty folder keeps the reader
    // from reporting that they are missing here.
    return try BridgeSettings.read(file, hostName: BridgeSettings.hostName, credentials: "")
  }

  /// The finding about the bridge's connection: since when it is connected, to which broker and
  /// under which name, or why it is not.
  static func bridge(_ status: BridgeWire.Status.Reply) -> Finding {
    func found(_ level: Finding.Level, _ text: String, _ remedy: String? = nil) -> Finding {
      Finding(check: bridgeCheck, level: level, text: text, remedy: remedy)
    }
    let text = BridgeText(status, nowUsec: LocalTime.nowUsec())
    let state = "\(text.broker), as \(text.name)"
    guard status.connected else {
      // Without a reason, the bridge's first attempt to connect has not finished.
      guard status.reason != nil else { return found(.advice, state, "look again") }
      return found(
        .fault, state,
        status.remedy.map { "\($0), then \(restart)" }
          ?? "it tries again by itself; see that the broker runs and can be reached, and what "
          + "journalctl --user -u nightjar-mqtt says")
    }
    if let reason = status.reason { return found(.fault, "\(state): \(reason)", status.remedy) }
    if let reason = status.daemonReason {
      return found(
        .fault, "\(state), and the daemon does not answer it: \(reason)",
        "see that the daemon runs: nightjar status")
    }
    guard status.version == NightjarVersion.current else {
      return found(
        .advice,
        "nightjar-mqtt is of version \(status.version), and nightjar of version "
          + NightjarVersion.current, restart)
    }
    return found(.fine, state)
  }

  /// The finding about timers that the other machines cannot see; nil if they can see all.
  private static func unpublished(_ status: BridgeWire.Status.Reply) -> Finding? {
    guard !status.unpublished.isEmpty else { return nil }
    return Finding(
      check: bridgeCheck, level: .advice, text: BridgeText(status, nowUsec: 0).timers,
      remedy: "rename them, or remove timers that are over; see nightjar-mqtt(1)")
  }

  /// The findings about machines that neither ring for others nor are rung for.
  private static func clocks(
    _ status: BridgeWire.Status.Reply, isSynchronized: Bool
  ) -> [Finding] {
    guard !status.devices.isEmpty else { return [] }
    let others = status.devices.filter { !$0.clockSynchronized }.map(\.device)
    return ((isSynchronized ? [] : [status.device]) + others).map {
      Finding(
        check: bridgeCheck, level: .advice,
        text: "the clock of \($0) is not synchronised: until it is, no other machine rings for "
          + "\($0), and \($0) rings for no other",
        remedy: "on \($0): timedatectl set-ntp true, or run chrony")
    }
  }
}
