public import NightjarModel

/// The topics of a machine for Home Assistant.
///
/// The topics are below `PREFIX/PERSON/DEVICE/home`. The bridge publishes states there. All of
/// these messages except rings are retained. Commands from Home Assistant arrive below `home/set`.
/// Home Assistant prescribes the topic of the machine's description
/// (https://www.home-assistant.io/integrations/mqtt/, "Device discovery payload").
public struct HomeTopics: Equatable, Sendable {
  /// The topic on which Home Assistant announces that it has started.
  public static let birth = "homeassistant/status"

  public let address: DeviceAddress
  /// The topic of the machine's presence, which the bridge publishes for other machines too.
  public let presence: String
  private let base: String

  /// - Parameter prefix: the prefix of all topics of Nightjar.
  public init(_ address: DeviceAddress, prefix: String) {
    self.address = address
    let machine = "\(prefix)/\(address.person)/\(address.device)"
    presence = "\(machine)/presence"
    base = "\(machine)/home"
  }

  /// The identifier of the machine in Home Assistant. A person's name has no dot, so two machines
  /// never have the same identifier.
  public var identifier: String { "nightjar-\(address.person).\(address.device)" }

  /// The topic of the machine's description.
  public var config: String {
    "homeassistant/device/nightjar-\(address.person)/\(address.device)/config"
  }

  /// The topic for the timer of the machine that rings next, and for the number of its timers.
  public var next: String { "\(base)/next" }

  public func timer(_ name: String) -> String { "\(base)/timer/\(Self.word(name))" }

  /// The topic on which rings are published: of all timers, or of one timer.
  public func rings(of name: String? = nil) -> String { below("ring", name) }

  /// The topic for the answer to the last text that Home Assistant sent: to the machine, or to one
  /// timer.
  public func answer(to name: String? = nil) -> String { below("text", name) }

  /// The topic on which Home Assistant sends a text: to the machine, or to one timer.
  public func text(for name: String? = nil) -> String { below("set/text", name) }

  /// The topic on which Home Assistant publishes presses of buttons.
  public var command: String { "\(base)/set/command" }

  /// The topic filters to which the bridge subscribes.
  public var filters: [String] { [command, text(), "\(text())/+"] }

  /// A topic on which no client publishes anything.
  var nowhere: String { "\(base)/nowhere" }

  /// The topics of the machine on which messages are retained, except the topic of its description.
  ///
  /// - Parameter names: the timers that have entities of their own.
  public func retained(names: [String]) -> [String] {
    [next, answer()] + retained(words: names.map { Self.word($0) })
  }

  /// The topics of timers with entities of their own on which messages are retained.
  ///
  /// - Parameter words: the names of these timers as levels of a topic.
  func retained(words: [String]) -> [String] {
    words.flatMap { ["\(base)/timer/\($0)", "\(base)/text/\($0)"] }
  }

  private func below(_ word: String, _ name: String?) -> String {
    "\(base)/\(word)" + (name.map { "/\(Self.word($0))" } ?? "")
  }

  /// A timer's name as a part of an entity's key: letters, digits and `-` stay, and each other byte
  /// becomes `_` and two hexadecimal digits.
  static func key(_ name: String) -> String {
    String(word(name).flatMap { $0 == "_" ? "_5F" : $0 == "%" ? "_" : "\($0)" })
  }

  /// The inverse of `key`: the level of a topic for the name that has this key. In a key, two
  /// hexadecimal digits follow each `_`.
  static func word(ofKey key: String) -> String {
    let parts = key.split(separator: "_", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts.first ?? "")) { word, part in
      word += part.hasPrefix("5F") ? "_\(part.dropFirst(2))" : "%\(part)"
    }
  }

  /// A timer's name as one level of a topic.
  static func word(_ name: String) -> String { SessionAddress.word(of: name) }
}
