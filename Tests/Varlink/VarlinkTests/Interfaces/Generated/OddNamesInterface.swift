// Made from org.example.odd-names.varlink by varlink-swift. Do not edit.

/// The interface `org.example.odd-names`, in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
enum OddNamesInterface {
  /// The name.
  static let name = "org.example.odd-names"

  /// The interface file, byte for byte: the answer to
  /// `org.varlink.service.GetInterfaceDescription`.
  static let description = """
    # Names that mean something else in Swift or in what is generated, and types without a name.
    interface org.example.odd-names

    type OddNames (init: int, inout: bool, self: ?string, reader: float, blank: ?Protocol, Any: Any)

    type Protocol (in, init, blank, rawValue, allCases, hashValue, isKnown, other)

    type String (text: string, lines: []?string, numbers: [string]?int)

    type Any (repeat: ?String, more: []Any)

    method Init(state: (on, off), where: ?(x: int, of: []?(name: string))) -> (
      init: String,
      state: ?[]?[string](high, low)
    )

    method Reader(Int64: Int64) -> (names: OddNames)

    type Int64 (Bool: ?bool, Double: ?float)

    error Self (state: (hot, cold), parts: [](n: int), names: [string]String, self: ?int, raw: object)

    error Write (to: []float, var: ?[]Protocol)

    error Varlink (error: string)

    error Other (name: string)

    # The parameters of the function that calls methods have these names.
    method Exchange() -> ()

    method Parameters() -> ()

    method Method() -> ()

    """
}
