import Varlink

extension ChangeOptions {
  /// Creates options of a change. An option that is nil has no effect.
  ///
  /// - Parameters:
  ///   - undoID: an ID of 1 to 64 bytes, which says that a person makes the change. `Undo` undoes
  ///     all changes with the same ID together.
  ///   - ifSeq: the daemon makes the change only if this is the timer's `seq`, the number of its
  ///     last event. Otherwise the call throws `ClientError.refused(.timerChanged)` with the
  ///     present number. A start compares this number with the `seq` of the existing timer of the
  ///     name; 0 means that no timer has the name.
  ///   - request: a unique ID of the change, 1 to 64 bytes. The daemon makes the change once,
  ///     however often the change is sent with this ID, even if the daemon or the machine crashes.
  ///     The reply to each repetition is the reply to the first call. The daemon stores an ID for a
  ///     day, at most the last 10000 IDs. If the daemon ends before it has answered, the client
  ///     sends a change with an ID again by itself.
  public init(undoID: String? = nil, ifSeq: Int64? = nil, request: String? = nil) {
    self.init()
    self.undoID = undoID
    self.ifSeq = ifSeq
    self.request = request
  }
}

extension Call {
  /// The same call with the options as parameters.
  package func with(_ options: ChangeOptions) -> Call {
    let members = (parameters.objectValue ?? []) + (options.json.objectValue ?? [])
    return Call(method: method, parameters: .object(members))
  }
}
