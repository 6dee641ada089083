import NightjarVarlink

extension ChangeOptions {
  /// Options of a change. Nil leaves one out.
  ///
  /// - Parameters:
  ///   - undoID: the user makes the change, and can undo it together with all others of this ID. 1
  ///     to 64 bytes.
  ///   - ifSeq: the daemon makes the change only if this is the timer's `seq`, the number of its
  ///     last event. Otherwise the call throws `ClientError.refused(.timerChanged)` with the
  ///     present number. For a start it is that of the timer with the same name; 0: there is none.
  ///   - request: a unique ID of the change, 1 to 64 bytes. The daemon makes the change once,
  ///     however often it is sent with the ID, even if the daemon or the machine crashes, and
  ///     repeats its first answer. It remembers an ID for a day, and the last 10000 IDs. With an
  ///     ID, the client itself sends the change again if the daemon ends before it has answered.
  public init(undoID: String? = nil, ifSeq: Int64? = nil, request: String? = nil) {
    self.init()
    self.undoID = undoID
    self.ifSeq = ifSeq
    self.request = request
  }
}

extension Call {
  /// The same change with options.
  package func with(_ options: ChangeOptions) -> Call {
    let members = (parameters.objectValue ?? []) + (options.json.objectValue ?? [])
    return Call(method: method, parameters: .object(members))
  }
}
