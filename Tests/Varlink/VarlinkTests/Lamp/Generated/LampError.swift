// Made from org.example.Lamp.varlink by varlink-swift. Do not edit.

import Varlink

/// The errors of org.example.Lamp.
enum LampError: WireFailure, Equatable {
  /// The lamp is not as bright as that. most: how bright it can be.
  case tooBright(most: Int64)
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
    case "org.example.Lamp.TooBright":
      self = .tooBright(most: parameters.field("most"))
    default:
      self =
        VarlinkError(name: name, parameters: parameters).map { .varlink($0) }
        ?? .other(name: name, parameters: parameters)
    }
  }

  /// Appends the error as a reply.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .tooBright(let most):
      writer.writeError(name: "org.example.Lamp.TooBright") {
        $0.field("most", most)
      }
    case .varlink(let error): writer.writeError(error)
    case .other(let name, let parameters):
      writer.writeError(name: name, parameters: parameters)
    }
  }
}
