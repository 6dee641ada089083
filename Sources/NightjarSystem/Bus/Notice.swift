import NightjarVarlink

/// The contents of a popup: the arguments of `Notify` (Desktop Notifications Specification 1.2,
/// section 9).
public struct Notice: Equatable, Sendable {
  /// The urgency; the raw value is the specification's.
  public enum Urgency: UInt8, Sendable {
    /// The popup disappears by itself.
    case normal = 1
    /// The popup stays until the user reacts to it, even over a full-screen window.
    case critical = 2
  }

  /// The sound that the server plays with the popup, if it can.
  public enum Sound: Equatable, Sendable {
    /// None, not even the server's usual sound.
    case none
    /// A sound of the theme (Sound Naming Specification).
    case themed(String)
    /// The path of a sound file.
    case file(String)
  }

  /// A button.
  public struct Action: Equatable, Sendable {
    /// The key that the server reports when the button is pressed; `default` is for the popup
    /// itself.
    public var key: String
    /// The text on the button.
    public var label: String

    /// Makes a button.
    public init(_ key: String, _ label: String) {
      self.key = key
      self.label = label
    }
  }

  /// The first line, without markup.
  public var summary: String
  /// Plain text, in lines. Characters of markup are escaped.
  public var body: String
  /// A name in the icon theme.
  public var icon: String
  /// The buttons in their order; omitted if the server has none.
  public var actions: [Action]
  /// The urgency.
  public var urgency: Urgency
  /// The category of the specification, for the rules of servers.
  public var category: String
  /// The sound.
  public var sound: Sound
  /// The server need not list the popup among past notifications.
  public var isTransient: Bool
  /// The popup stays until it is closed; otherwise the server decides how long it stays.
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
  /// Values of the argument `expire_timeout`: the popup never expires, or the server decides.
  private static let expiry: (never: Int32, usual: Int32) = (0, -1)

  /// The arguments of `Notify` for a server with these capabilities.
  ///
  /// - Parameter id: the popup to replace; 0 for none.
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
