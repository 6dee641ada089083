// Made from org.varlink.certification.varlink by varlink-swift. Do not edit.

import Varlink

/// The errors of org.varlink.certification.
enum CertificationError: WireFailure, Equatable {
  /// `ClientIdError`
  case clientIdError
  /// `CertificationError`
  case certificationError(wants: RawJSON, got: RawJSON)
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
    case "org.varlink.certification.ClientIdError":
      self = .clientIdError
    case "org.varlink.certification.CertificationError":
      self = .certificationError(wants: parameters.field("wants"), got: parameters.field("got"))
    default:
      self =
        VarlinkError(name: name, parameters: parameters).map { .varlink($0) }
        ?? .other(name: name, parameters: parameters)
    }
  }

  /// Appends the error as a reply.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .clientIdError: writer.writeError(name: "org.varlink.certification.ClientIdError")
    case .certificationError(let wants, let got):
      writer.writeError(name: "org.varlink.certification.CertificationError") {
        $0.field("wants", wants)
        $0.field("got", got)
      }
    case .varlink(let error): writer.writeError(error)
    case .other(let name, let parameters):
      writer.writeError(name: name, parameters: parameters)
    }
  }
}
