internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import NightjarTime

/// What the item in the panel shows.
struct TrayLook: Equatable {
  static let attention = "NeedsAttention"
  static let ringingIcon = "nightjar-ringing"
  /// How many timers the tool tip has a line for.
  private static let lines = 10
  /// How many characters of the name of what rings are in the label.
  private static let nameCharacters = 20

  var icon = "nightjar"
  var status = "Active"
  /// The countdown of what rings next, or the name of what rings; empty: there is neither. Some
  /// panels show it beside the icon.
  var label = ""
  /// A line for each timer. It has points in time, not seconds that pass: panels keep it. Some
  /// panels read markup in it and others do not, so it has no characters of markup.
  var toolTip = ""

  init() {}

  /// - Parameter timers: the timers in their order.
  init(_ timers: [ShownTimer], absence: String?, at now: Moment) {
    toolTip = absence ?? "No timer"
    if !timers.isEmpty {
      var lines = timers.prefix(Self.lines).map {
        ShownTimer.line("\($0.visibleName): \($0.saying)")
      }
      if timers.count > Self.lines { lines.append("and \(timers.count - Self.lines) more") }
      let plain: [Character: Character] = ["&": "＆", "<": "‹", ">": "›"]
      toolTip = String(lines.joined(separator: "\n").map { plain[$0] ?? $0 })
    }
    if timers.contains(where: \.hasRung) { (icon, status) = (Self.ringingIcon, Self.attention) }
    if let ring = timers.first, ring.timer.ringing == .ringing {
      label = String(ring.visibleName.prefix(Self.nameCharacters))
    } else if let next = timers.first(where: { $0.isCounting }) {
      label = next.clock(at: now)
    }
  }
}
