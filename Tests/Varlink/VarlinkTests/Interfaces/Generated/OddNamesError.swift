// Made from org.example.odd-names.varlink by varlink-swift. Do not edit.

import Varlink

/// The errors of org.example.odd-names.
enum OddNamesError: WireFailure, Equatable {
  /// `Self`
  case selfValue(
    state: OddNames.SelfState, parts: [OddNames.SelfParts], names: WireMap<OddNames.String_>,
    selfValue: Int64?, raw: RawJSON
  )
  /// `Write`
  case writeValue(to: [Double], varValue: [OddNames.Protocol_]?)
  /// `Varlink`
  case varlinkValue(error: String)
  /// `Other`
  case otherValue(name: String)
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
  init(name: String, parameters: JSONValue) {
    switch name {
    case "org.example.odd-names.Self":
      self = .selfValue(
        state: parameters.field("state"), parts: parameters.field("parts"),
        names: parameters.field("names"), selfValue: parameters.field("self"),
        raw: parameters.field("raw")
      )
    case "org.example.odd-names.Write":
      self = .writeValue(to: parameters.field("to"), varValue: parameters.field("var"))
    case "org.example.odd-names.Varlink":
      self = .varlinkValue(error: parameters.field("error"))
    case "org.example.odd-names.Other":
      self = .otherValue(name: parameters.field("name"))
    default:
      self =
        VarlinkError(name: name, parameters: parameters).map { .varlink($0) }
        ?? .other(name: name, parameters: parameters)
    }
  }

  /// Appends the error as a reply.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .selfValue(let state, let parts, let names, let selfValue, let raw):
      writer.writeError(name: "org.example.odd-names.Self") {
        $0.field("state", state)
        $0.field("parts", parts)
        $0.field("names", names)
        $0.field("self", selfValue)
        $0.field("raw", raw)
      }
    case .writeValue(let to, let varValue):
      writer.writeError(name: "org.example.odd-names.Write") {
        $0.field("to", to)
        $0.field("var", varValue)
      }
    case .varlinkValue(let error):
      writer.writeError(name: "org.example.odd-names.Varlink") {
        $0.field("error", error)
      }
    case .otherValue(let name):
      writer.writeError(name: "org.example.odd-names.Other") {
        $0.field("name", name)
      }
    case .varlink(let error): writer.writeError(error)
    case .other(let name, let parameters):
      writer.writeError(name: name, parameters: parameters)
    }
  }
}
