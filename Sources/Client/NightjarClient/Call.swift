package import NightjarInterface
package import Varlink

/// One call: a method and its parameters.
package struct Call: Equatable, Sendable {
  /// The full name of the method: the interface, a dot, the method.
  package let method: String
  /// The parameters, an object.
  package let parameters: JSONValue

  /// - Parameters:
  ///   - method: the full name of the method.
  ///   - parameters: the parameters, an object.
  package init(method: String, parameters: JSONValue = .object([])) {
    self.method = method
    self.parameters = parameters
  }

  /// A call of a method of the interface.
  package init<Method: WireMethod>(_ call: Method) {
    self.init(method: "\(Method.method)", parameters: JSONValue(call))
  }

  /// A call of an operation on one timer, whose only parameter is the timer's name.
  package static func perform(_ operation: Wire.Operation, name: String) -> Call {
    let word = operation.rawValue
    return Call(
      method: "\(TimersInterface.name).\(word.prefix(1).uppercased())\(word.dropFirst())",
      parameters: ["name": .string(name)])
  }

  /// Whether the call only reads. Such a call may be sent twice.
  package var isQuestion: Bool {
    let questions = [Wire.Get.method, Wire.List.method, Wire.Status.method, Wire.Why.method]
    return questions.contains { "\($0)" == method }
  }

  /// The same call with the options as parameters.
  package func with(_ options: ChangeOptions) -> Call {
    var members = parameters.objectValue ?? []
    if let id = options.undoID { members.append(JSONValue.Member("undo_id", .string(id))) }
    if let seq = options.ifSeq { members.append(JSONValue.Member("if_seq", .integer(seq))) }
    if let id = options.request { members.append(JSONValue.Member("request", .string(id))) }
    return Call(method: method, parameters: .object(members))
  }

  /// The same call with an undo ID. The user can undo all changes with the same undo ID together.
  /// The call is returned unchanged if the ID is nil, or if the method is `Get`.
  package func undoable(_ undoID: String?) -> Call {
    guard let undoID, method != "\(Wire.Get.method)" else { return self }
    return with(ChangeOptions(undoID: undoID))
  }
}

extension WireStructure {
  /// Reads a structure from a message of the daemon.
  ///
  /// - Throws: `ClientError.protocolViolation`.
  package init(_ json: JSONValue) throws(ClientError) { try self.init(RawJSON(json)) }

  /// Reads a structure from a message of the daemon.
  ///
  /// - Throws: `ClientError.protocolViolation`.
  package init(_ json: RawJSON) throws(ClientError) {
    do throws(WireError) {
      self = try Self(json.bytes, isStrict: false)
    } catch {
      let reason = error.problem == .missing ? "has no value" : "has the wrong type"
      throw .protocolViolation("'\(error.field)' of \(Self.self) \(reason)")
    }
  }
}
