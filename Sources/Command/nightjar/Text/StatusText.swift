import NightjarClient
import NightjarTime

struct StatusText {
  let status: Wire.Status.Reply
  /// The path of the daemon's socket; nil: the daemon is on another machine.
  let socket: String?
  /// The mistake in the presets of the configuration file; nil: there is none.
  let presetProblem: String?
  private let nowUsec = LocalTime.nowUsec()

  init(_ status: Wire.Status.Reply, socket: String?, presetProblem: String?) {
    self.status = status
    self.socket = socket
    self.presetProblem = presetProblem
  }

  var lines: [String] {
    var rows = [
      ("Daemon", daemon), ("Timers", timers), ("Clients", clients), ("Foreground", foreground),
    ]
    if let span = status.lastSpan { rows.append(("Last span", text(span))) }
    rows += [("Sleep", sleep), ("Wake", wake)]
    rows += [
      ("Presence", status.presence.sentence), ("Ring", RingText(status.ring).expectedEffect),
    ]
    let commands = status.commands
    if commands.running + commands.waiting > 0 {
      rows.append(("Commands", "\(commands.running) running, \(commands.waiting) waiting"))
    }
    rows += [("Clock", clock), ("Storage", storage)]
    if let socket { rows.append(("Socket", socket)) }
    if let loss = status.storage.loss {
      rows.append(("Loss", loss.sentence))
      if let path = loss.keptAs { rows.append(("Kept as", path)) }
    } else if let path = status.storage.setAside {
      rows.append(("Set aside", "\(path), a database that was damaged"))
    }
    if let warning = status.warning { rows.append(("Warning", warning)) }
    if let presetProblem { rows.append(("Presets", presetProblem)) }
    return Columns.lines(rows)
  }

  private var daemon: String {
    "nightjard \(status.version), process \(status.pid), since \(point(status.startedUsec))"
  }

  private var timers: String {
    let counts = status.counts
    let others = [
      (counts.waiting, "waiting"), (counts.over, "over"), (counts.cancelled, "cancelled"),
      (counts.ringing, "ringing"), (counts.snoozed, "snoozed"), (counts.unanswered, "unanswered"),
    ]
    let list = others.filter { $0.0 > 0 }
      .reduce("\(counts.running) running, \(counts.paused) paused") { "\($0), \($1.0) \($1.1)" }
    guard let name = status.nextName, let usec = status.nextUsec else { return list }
    return "\(list); next is \(name), \(point(usec))"
  }

  private var clients: String {
    "\(status.counts.clients), of which \(status.counts.watchers) watch"
  }

  private var foreground: String {
    if let span = status.openSpan {
      return "no, since \(point(span.enteredUsec)): \(TimerText.reasons(span.causes))"
    }
    return status.foregroundSinceUsec.map { "since \(point($0))" } ?? "yes"
  }

  private func text(_ span: Wire.Span) -> String {
    let length = EventText.length(of: span)
    return "\(point(span.enteredUsec)), \(length): \(TimerText.reasons(span.causes))"
  }

  private var sleep: String {
    guard status.sleep.seen else {
      return "detected from the clocks afterwards" + (status.sleep.reason.map { " (\($0))" } ?? "")
    }
    return status.sleep.inhibitor
      ? "announced by logind, which waits for us"
      : "announced by logind, which does not wait for us"
  }

  private var wake: String {
    guard status.wake.can else {
      return "no timer can wake the machine" + (status.wake.reason.map { " (\($0))" } ?? "")
    }
    return status.sleep.keptAwake
      ? "a timer woke the machine, which is kept awake until the user has seen it"
      : "a timer could wake the machine"
  }

  private var clock: String {
    status.clockSynchronized ? "synchronised" : "not synchronised"
  }

  private var storage: String {
    let storage = status.storage
    let folder = storage.stateDirectory
    // Other machines do not get paths, or reasons that may contain a path.
    guard !folder.isEmpty else { return storage.ok ? events : "FAILING; ask that machine why" }
    guard storage.ok else {
      return "FAILING: \(storage.reason ?? "the reason is not known") (\(folder))"
    }
    return "\(folder), \(events)"
  }

  private var events: String {
    let storage = status.storage
    return "events \(storage.oldestSeq) to \(storage.lastSeq) of ledger \(storage.ledger)"
  }

  private func point(_ usec: Int64) -> String { LocalTime.short(usec, nowUsec: nowUsec) }
}

extension Wire.Presence {
  /// The sentence that says whether the session is in use. If that is unknown, the sentence gives
  /// the reason, and how the clock `present` then counts.
  var sentence: String {
    guard seen else {
      return "not known, so the clock present counts like awake" + (reason.map { " (\($0))" } ?? "")
    }
    return away
      ? "the session is locked or idle, so the clock present stands still"
      : "the session is in use, as logind says"
  }
}

extension Wire.Loss {
  /// The sentence with the reason, and the numbers of the missing events.
  var sentence: String {
    guard let missing else { return reason }
    return missing.lowerBound == missing.upperBound
      ? "\(reason); event \(missing.lowerBound) is missing"
      : "\(reason); events \(missing.lowerBound) to \(missing.upperBound) are missing"
  }
}
