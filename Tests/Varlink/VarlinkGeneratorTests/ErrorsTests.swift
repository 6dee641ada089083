import Testing
import VarlinkGenerator

@Suite struct ErrorsTests {
  private static let interface = """
    interface a.b

    # There is no such lamp.
    error LampNotFound (name: string)
    error TooBright (most_watts: int, share: ?float, cause: Cause, lamps: [](name: string))
    error Dark ()
    type Cause (sun, init)
    """

  private static func source(_ text: String = interface) throws -> String {
    try ErrorsWriter(typeName: "LampError", types: "Wire", access: .package)
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
          case tooBright(mostWatts: Int64, share: Double?, cause: Wire.Cause, lamps: [Wire.TooBrightLamps])
          /// `Dark`
          case dark
          /// An error of `org.varlink.service`.
          case varlink(VarlinkError)
          /// An error that is none of these, with its full name.
          case other(name: String, parameters: JSONValue)

          /// Reads an error from a reply. A parameter that is missing or of another type becomes empty,
          /// zero or false.
          ///
          /// - Parameters:
          ///   - name: the full name: interface, dot, error.
          ///   - parameters: the error's parameters, an object.
          package init(name: String, parameters: JSONValue) {
            switch name {
            case "a.b.LampNotFound":
              self = .lampNotFound(name: parameters.field("name"))
            case "a.b.TooBright":
              self = .tooBright(
                mostWatts: parameters.field("most_watts"), share: parameters.field("share"),
                cause: parameters.field("cause"), lamps: parameters.field("lamps")
              )
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
                $0.field("name", name)
              }
            case .tooBright(let mostWatts, let share, let cause, let lamps):
              writer.writeError(name: "a.b.TooBright") {
                $0.field("most_watts", mostWatts)
                $0.field("share", share)
                $0.field("cause", cause)
                $0.field("lamps", lamps)
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

  @Test(arguments: [
    ("error Other ()", "case otherValue\n"), ("error Varlink ()", "case varlinkValue\n"),
    ("error Write (to: string)", "case writeValue(to: String)\n"),
    ("error Self (let: int)", "case selfValue(letValue: Int64)\n"),
    ("error Repeat (repeat: int)", "case `repeat`(repeat: Int64)\n"),
  ])
  func `An error that would have the name of another member gets an end`(
    declaration: String, line: String
  ) throws {
    #expect(try Self.source("interface a.b\n\(declaration)").contains("  \(line)"))
  }

  @Test(arguments: [
    ("error Self () error SelfValue ()", "rename the error that is selfValue in Swift"),
    ("error E (a_b: int, aB: int)", "rename the field of E that is aB in Swift"),
  ])
  func `What would be the same in Swift is refused`(declarations: String, sentence: String) {
    let error = #expect(throws: GeneratorError.self) {
      try Self.source("interface a.b\n\(declarations)")
    }
    #expect(error?.description == sentence)
  }
}
