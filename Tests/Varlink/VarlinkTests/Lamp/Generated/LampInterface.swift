// Made from org.example.Lamp.varlink by varlink-swift. Do not edit.

/// The interface `org.example.Lamp`, in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
enum LampInterface {
  /// The name.
  static let name = "org.example.Lamp"

  /// The interface file, byte for byte: the answer to
  /// `org.varlink.service.GetInterfaceDescription`.
  static let description = """
    # A lamp that can be dimmed.
    interface org.example.Lamp

    # on: whether it gives light. brightness: how much, in percent.
    type State (on: bool, brightness: int)

    # Switches the lamp. Without brightness, it is as bright as before.
    method Set(on: bool, brightness: ?int) -> (state: State)

    # The present state; with more, also each later one.
    method Watch() -> (state: State)

    # The lamp is not as bright as that. most: how bright it can be.
    error TooBright (most: int)

    """
}
