public import NightjarModel

/// The topics that Home Assistant knows of a machine.
///
/// They are below `PREFIX/PERSON/DEVICE/home`: what is shown is published there, retained but for rings, and what Home
/// Assistant asks for arrives below `set`. How the machine is described has a topic of Home Assistant's own
/// (https://www.home-assistant.io/integrations/mqtt/, "Device discovery payload").
public struct HomeTopics: Equatable, Sendable {
  /// Where Home Assistant says that it has started.
  public static let birth = "homeassistant/status"

  /// The machine.
  public let address: DeviceAddress
  /// Whether the machine is there: its status.
  public let status: String
  private let base: String

  /// - Parameter prefix: what all topics of Nightjar begin with.
  public init(_ address: DeviceAddress, prefix: String) {
    self.address = address
    let machine = "\(prefix)/\(address.person)/\(address.device)"
    status = "\(machine)/status"
    base = "\(machine)/home"
  }

  /// What Home Assistant calls the machine.
  public var identifier: String { "nightjar-\(address.person)-\(address.device)" }

  /// The description of the machine.
  public var config: String {
    "homeassistant/device/nightjar-\(address.person)/\(address.device)/config"
  }

  /// What comes next on the machine.
  public var next: String { "\(base)/next" }

  /// A timer.
  public func timer(_ name: String) -> String { "\(base)/timer/\(Self.word(name))" }

  /// The rings of all timers, or of one.
  public func rings(of name: String? = nil) -> String { below("ring", name) }

  /// The answer to the last text, for all timers or for one.
  public func answer(to name: String? = nil) -> String { below("text", name) }

  /// Where a text arrives.
  public func text(for name: String? = nil) -> String { below("set/text", name) }

  /// Where a button is pressed.
  public var command: String { "\(base)/set/command" }

  /// What a bridge subscribes to.
  public var filters: [String] { [command, text(), "\(text())/+"] }

  private func below(_ word: String, _ name: String?) -> String {
    "\(base)/\(word)" + (name.map { "/\(Self.word($0))" } ?? "")
  }

  /// A name as a part of what Home Assistant knows an entity by: letters, digits and `-` stay, and each other byte is `_`
  /// with two digits.
  static func key(_ name: String) -> String {
    String(word(name).flatMap { $0 == "_" ? "_5F" : $0 == "%" ? "_" : "\($0)" })
  }

  /// A name as one level of a topic.
  static func word(_ name: String) -> String { SessionAddress.word(of: name) }
}
