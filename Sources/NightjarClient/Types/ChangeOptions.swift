import NightjarVarlink

extension ChangeOptions {
  /// How a change is made. What is nil is not asked for.
  ///
  /// - Parameters:
  ///   - undoID: a person asks for the change, and can take it back, together with all others of this
  ///     id. 1 to 64 bytes.
  ///   - ifSeq: the daemon makes the change only if this is the timer's `seq`, the number of its last
  ///     event. Else the call throws `ClientError.refused(.timerChanged)`, which has the present number.
  ///     For a start it is that of the timer that has the name; 0: there is none.
  ///   - request: an id of the change, another one for each, of 1 to 64 bytes. The daemon makes the
  ///     change once, however often it is sent with that, also if the daemon or the machine crashes, and
  ///     answers as it did first. It remembers an id for a day, and the last 10000. With an id the client
  ///     itself sends the change again if the daemon goes away before it has answered.
  public init(undoID: String? = nil, ifSeq: Int64? = nil, request: String? = nil) {
    self.init()
    self.undoID = undoID
    self.ifSeq = ifSeq
    self.request = request
  }
}

extension Call {
  /// The same change, made in that way.
  package func with(_ options: ChangeOptions) -> Call {
    let members = (parameters.objectValue ?? []) + (options.json.objectValue ?? [])
    return Call(method: method, parameters: .object(members))
  }
}
