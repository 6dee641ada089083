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

  private static func source(_ text: String = interface) throws -> String {
    try ErrorsWriter(typeName: "LampError", access: .package)
      .source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `Each error is read and written with all its fields, in their order`() throws {
    #expect(
      try Self.source() == #"""
        // Made from a.b.varlink by varlink-swift. Do not edit.

        package import Varlink

        /// The errors of a.b.
        package enum LampError: WireFailure, Equatable {
          /// There is no such lamp.
          case lampNotFound(name: String)
          /// `TooBright`
          case tooBright(mostWatts: Int64, share: Double, isHot: Bool, after: Int64?)
          /// `Dark`
          case dark
          /// An error of `org.varlink.service`.
          case varlink(VarlinkError)
          /// An error that is none of these, with its full name.
          case other(name: String, parameters: JSONValue)

          /// Reads an error from a reply. A parameter that is missing becomes empty, zero or false.
          ///
          /// - Parameters:
          ///   - name: the full name: interface, dot, error.
          ///   - parameters: the error's parameters, an object.
          package init(name: String, parameters: JSONValue) {
            switch name {
            case "a.b.LampNotFound":
              self = .lampNotFound(
                name: parameters["name"]?.stringValue ?? "")
            case "a.b.TooBright":
              self = .tooBright(
                mostWatts: parameters["most_watts"]?.integerValue ?? 0,
                share: parameters["share"]?.doubleValue ?? 0,
                isHot: parameters["is_hot"]?.boolValue ?? false,
                after: parameters["after"]?.integerValue)
            case "a.b.Dark":
              self = .dark
            default:
              self =
                VarlinkError(name: name, parameters: parameters).map { .varlink($0) }
                ?? .other(name: name, parameters: parameters)
            }
          }

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
            case .other(let name, let parameters):
              writer.writeError(name: name, parameters: parameters)
            }
          }
        }

        """#)
  }

  @Test func `An array of texts is empty if it is absent`() throws {
    let source = try Self.source("interface a.b\nerror Dark (lamps: []string)")
    #expect(source.contains("  case dark(lamps: [String])\n"))
    #expect(source.contains(#"parameters["lamps"]?.arrayValue?.compactMap(\.stringValue) ?? []"#))
  }

  @Test func `An error that would have the name of a fixed case is refused`() {
    let error = #expect(throws: GeneratorError.self) {
      try Self.source("interface a.b\nerror Other ()")
    }
    #expect(error?.description == "rename the error that is other in Swift")
  }

  @Test func `A field that is not a boolean, number, string or array of strings is refused`() {
    let expected = "make 'lamps' of Broken a boolean, a number, a text or an array of texts"
    let error = #expect(throws: GeneratorError.self) {
      try Self.source("interface a.b\nerror Broken (lamps: []int)")
    }
    #expect(error?.description == expected)
  }
}
