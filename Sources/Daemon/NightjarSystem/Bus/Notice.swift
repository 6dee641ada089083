import NightjarInterface

/// The contents of a popup: the arguments of `Notify` (Desktop Notifications Specification 1.2,
/// section 9).
public struct Notice: Equatable, Sendable {
  /// The urgency; the raw values are those of the specification.
  public enum Urgency: UInt8, Sendable {
    /// The popup disappears by itself.
    case normal = 1
    /// The popup stays until the user reacts to it, even over a full-screen window.
    case critical = 2
  }

  /// The sound that the server plays with the popup, if it can.
  public enum Sound: Equatable, Sendable {
    /// The server plays no sound, not even its default one.
    case none
    /// A sound of the desktop's sound theme, by its name (Sound Naming Specification).
    case themed(String)
    /// The path of a sound file.
    case file(String)
  }

  /// A button.
  public struct Action: Equatable, Sendable {
    /// The key that the server reports when the button is pressed. The key `default` stands for a
    /// click on the popup itself.
    public var key: String
    public var label: String

    public init(_ key: String, _ label: String) {
      self.key = key
      self.label = label
    }
  }

  /// The first line, without markup.
  public var summary: String
  /// The further lines, as plain text. Characters of markup are escaped.
  public var body: String
  /// The name of an icon in the icon theme.
  public var icon: String
  /// The buttons in their order; ignored if the server shows no buttons.
  public var actions: [Action]
  public var urgency: Urgency
  /// The category in the words of the specification. Users can write rules for it in the
  /// configuration of some servers.
  public var category: String
  public var sound: Sound
  /// Whether the server may leave the popup out of its list of past notifications.
  public var isTransient: Bool
  /// Whether the popup stays until it is closed. If false, the server decides how long it stays.
  public var stays: Bool

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
  /// Values of the argument `expire_timeout`. `never`: the popup never expires. `usual`: the server
  /// decides.
  private static let expiry: (never: Int32, usual: Int32) = (0, -1)

  /// The arguments of `Notify` for a server with the given capabilities.
  ///
  /// - Parameter id: the number of the popup to replace; 0: show a new popup.
  package func arguments(replacing id: UInt32, for capabilities: Set<String>) -> [BusArgument] {
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
