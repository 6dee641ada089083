import Testing
import VarlinkGenerator

@Suite struct ErrorsTests {
  private static let interface = """
    interface a.b

    # There is no such lamp.
    error LampNotFound (name: string)
    error TooBright (most_watts: int, share: float, is_hot: bool, after: ?int)
    error Dark ()
    method Light(name: string) -> ()
    """

  private static func source(
    _ side: ErrorsWriter.Side, _ text: String = interface
  ) throws -> String {
    try ErrorsWriter(side: side, typeName: "LampError", imports: ["Wire"], access: .package)
      .source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `A service writes each error with all its fields, in their order`() throws {
    #expect(
      try Self.source(.service) == #"""
        // Made from a.b.varlink by varlink-swift. Do not edit: run `make generate`.

        package import Wire

        /// The errors of a.b.
        package enum LampError: Error {
          /// There is no such lamp.
          case lampNotFound(name: String)
          /// `TooBright`
          case tooBright(mostWatts: Int64, share: Double, isHot: Bool, after: Int64?)
          /// `Dark`
          case dark
          /// An error of `org.varlink.service`.
          case varlink(VarlinkError)

          /// Appends the error as a reply.
          package func write(to writer: inout JSONWriter) {
            switch self {
            case .lampNotFound(let name):
              writer.writeError(name: "a.b.LampNotFound") {
                $0.member("name", name)
              }
            case .tooBright(let mostWatts, let share, let isHot, let after):
              writer.writeError(name: "a.b.TooBright") {
                $0.member("most_watts", mostWatts)
                $0.member("share", share)
                $0.member("is_hot", isHot)
                if let after { $0.member("after", after) }
              }
            case .dark: writer.writeError(name: "a.b.Dark")
            case .varlink(let error): writer.writeError(error)
            }
          }
        }

        """#)
  }

  @Test func `A client reads each error, and keeps one that it does not know`() throws {
    let source = try Self.source(.client)
    #expect(source.contains("package enum LampError: Error, Equatable, Sendable {\n"))
    #expect(
      source.contains(
        """
          /// `TooBright`
          case tooBright(mostWatts: Int64, share: Double, isHot: Bool = false, after: Int64?)

        """))
    #expect(
      source.contains(
        #"""
            case "a.b.TooBright":
              self = .tooBright(
                mostWatts: parameters["most_watts"]?.integerValue ?? 0,
                share: parameters["share"]?.doubleValue ?? 0,
                isHot: parameters["is_hot"]?.boolValue ?? false,
                after: parameters["after"]?.integerValue)
            case "a.b.Dark":
              self = .dark
            case "org.varlink.service.InvalidParameter":
              self = .invalidParameter(name: parameters["parameter"]?.stringValue ?? "")
            default: self = .other(name: name, parameters: parameters)

        """#))
  }

  @Test func `An array of texts is empty if it is absent`() throws {
    let source = try Self.source(.client, "interface a.b\nerror Dark (lamps: []string)")
    #expect(source.contains("  case dark(lamps: [String] = [])\n"))
    #expect(
      source.contains(#"parameters["lamps"]?.arrayValue?.compactMap(\.stringValue) ?? []"#))
  }

  @Test func `A field that is not a boolean, number, string or array of strings is refused`() {
    let expected = "make 'lamps' of Broken a boolean, a number, a text or an array of texts"
    let error = #expect(throws: GeneratorError.self) {
      try Self.source(.client, "interface a.b\nerror Broken (lamps: []int)")
    }
    #expect(error?.description == expected)
  }
}
