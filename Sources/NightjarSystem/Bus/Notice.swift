import NightjarVarlink

/// What is to be shown in a popup: the arguments of `Notify` (Desktop Notifications Specification
/// 1.2, section 9), in our own words.
public struct Notice: Equatable, Sendable {
  /// How much it matters; the raw value is the specification's.
  public enum Urgency: UInt8, Sendable {
    /// It passes by.
    case normal = 1
    /// It stays until somebody has done something about it, also over a window that fills the
    /// screen.
    case critical = 2
  }

  /// What the server is to have played with it, where it can.
  public enum Sound: Equatable, Sendable {
    /// None, not even what it plays with every popup.
    case none
    /// One of the sound theme's (Sound Naming Specification).
    case themed(String)
    /// A file.
    case file(String)
  }

  /// A button.
  public struct Action: Equatable, Sendable {
    /// What comes back when it is pressed; `default` is for the popup itself.
    public var key: String
    /// What stands on it.
    public var label: String

    /// Makes a button.
    public init(_ key: String, _ label: String) {
      self.key = key
      self.label = label
    }
  }

  /// The first line, without markup.
  public var summary: String
  /// Plain text, in lines; what looks like markup is shown as it is.
  public var body: String
  /// A name of the icon theme.
  public var icon: String
  /// In their order; left out where the server has none.
  public var actions: [Action]
  /// How much it matters.
  public var urgency: Urgency
  /// What kind of thing it is, for the rules of servers.
  public var category: String
  /// What is heard.
  public var sound: Sound
  /// Nobody wants it kept in a list.
  public var isTransient: Bool
  /// It stays until it is closed; else for as long as the server pleases.
  public var stays: Bool

  /// Makes a notice.
  public init(
    summary: String, body: String, icon: String, actions: [Action] = [],
    urgency: Urgency = .normal, category: String, sound: Sound = .none, isTransient: Bool = false,
    stays: Bool = false
  ) {
    self.summary = summary
    self.body = body
    self.icon = icon
    self.actions = actions
    self.urgency = urgency
    self.category = category
    self.sound = sound
    self.isTransient = isTransient
    self.stays = stays
  }
}

extension Notice {
  /// Never; and as long as the server pleases.
  private static let expiry: (never: Int32, usual: Int32) = (0, -1)

  /// As arguments for a server that can do what `capabilities` says.
  ///
  /// - Parameter id: the popup whose place it takes; 0: none.
  func arguments(replacing id: UInt32, for capabilities: Set<String>) -> [BusArgument] {
    let isMarkup = capabilities.contains("body-markup")
    let buttons = capabilities.contains("actions") ? actions : []
    return [
      .string("Nightjar"), .uint32(id), .string(icon), .string(summary),
      .string(isMarkup ? Markup.escaped(body) : body),
      .strings(buttons.flatMap { [$0.key, $0.label] }), .variants(hints),
      .int32(stays ? Self.expiry.never : Self.expiry.usual),
    ]
  }

  private var hints: [(key: String, value: BusArgument)] {
    var hints: [(key: String, value: BusArgument)] = [
      ("urgency", .byte(urgency.rawValue)), ("category", .string(category)),
      ("desktop-entry", .string("nightjar")),
    ]
    if isTransient { hints.append(("transient", .boolean(true))) }
    switch sound {
    case .none: hints.append(("suppress-sound", .boolean(true)))
    case .themed(let name): hints.append(("sound-name", .string(name)))
    case .file(let path): hints.append(("sound-file", .string(path)))
    }
    return hints
  }
}
