internal import NightjarInterface
public import NightjarModel
public import Varlink

/// A call from one machine to the daemon of another, as a message.
public struct RemoteCall: Equatable, Sendable {
  /// The method's full name.
  public var method: String
  /// The parameters, an object.
  public var parameters: JSONValue
  /// The time after which the owner must not carry out a change, on its CLOCK_REALTIME; nil: no
  /// limit.
  public var validUntilUsec: Int64?

  public init(method: String, parameters: JSONValue, validUntilUsec: Int64? = nil) {
    self.method = method
    self.parameters = parameters
    self.validUntilUsec = validUntilUsec
  }

  /// Parses a call; nil if the payload is not a call. O(bytes).
  public init?(payload: [UInt8]) {
    guard payload.count <= WireLimits.frameBytes, let json = try? JSONValue.parse(payload),
      let method = json["method"]?.stringValue
    else { return nil }
    let parameters = json["parameters"] ?? .object([])
    guard parameters.objectValue != nil else { return nil }
    self.init(
      method: method, parameters: parameters,
      validUntilUsec: json["valid_until_usec"]?.integerValue)
  }

  /// Whether the daemon can parse the call. The daemon closes a connection on which it receives a
  /// message that it cannot parse.
  public var isReadable: Bool {
    var frame: [UInt8] = []
    VarlinkCall.write(method: method, parameters: parameters, into: &frame)
    guard frame.popLast() == 0, frame.count <= WireLimits.frameBytes else { return false }
    return frame.withUnsafeBytes { (try? VarlinkCall.parse($0)) != nil }
  }

  public var payload: [UInt8] {
    JSONValue.object(of: [
      ("method", .string(method)), ("parameters", parameters),
      ("valid_until_usec", validUntilUsec.map(JSONValue.integer)),
    ]).bytes
  }
}

// MARK: - Permissions

/// Why a call is not carried out: an error of the interface.
public struct CallRefusal: Error, Equatable, Sendable {
  /// The error's full name.
  public let name: String
  public let parameters: JSONValue

  /// Makes an error of org.nightjar.Timers.
  init(_ name: String, _ parameters: JSONValue) {
    self.name = "\(TimersInterface.name).\(name)"
    self.parameters = parameters
  }

  /// The daemon is handling the maximum number of calls of other machines.
  public static let tooMany = CallRefusal(
    "LimitExceeded",
    ["limit": "calls of other machines", "value": .integer(Int64(MirrorLimits.callsToDaemon))])
  /// The changes of other machines exceed this machine's limit per second.
  public static let tooFast = CallRefusal(
    "LimitExceeded",
    [
      "limit": "changes of other machines in a second",
      "value": .integer(Int64(MirrorLimits.changesASecond)),
    ])
  /// A message is longer than the broker takes. The limit is `call_bytes` if the call was not
  /// carried out, and `answer_bytes` if it was.
  public static func tooLong(most: Int, isCarriedOut: Bool = false) -> CallRefusal {
    let limit: JSONValue = isCarriedOut ? "answer_bytes" : "call_bytes"
    return CallRefusal("LimitExceeded", ["limit": limit, "value": .integer(Int64(most))])
  }
  /// The caller of a change has stopped waiting for the answer, according to the owner's clock.
  public static let tooLate = CallRefusal(
    "InvalidValue",
    [
      "parameter": "valid_until_usec",
      "reason": """
      the change came too late by the clock of the machine that has the timer, and was not made; \
      if the clocks of the two machines differ, run timedatectl set-ntp true on both
      """,
    ])
  public static let noCall = CallRefusal(
    VarlinkError.invalidParameter(parameter: ""), ["parameter": "method"])
  /// The daemon of this machine does not answer, so its bridge has not passed the call on.
  ///
  /// - Parameter device: the name of this machine.
  public static func noDaemon(of device: String) -> CallRefusal {
    CallRefusal(
      "OwnerAway",
      [
        "device": .string(device),
        "state": .string(Wire.AwayState.noDaemon.rawValue), "in_doubt": false,
      ])
  }

  /// Makes an error of `org.varlink.service`.
  init(_ error: VarlinkError, _ parameters: JSONValue = .object([])) {
    name = "\(error.name)"
    self.parameters = parameters
  }
}

extension RemoteCall {
  /// The permission that a method requires; nil: it cannot be called from another machine.
  private static let needed: [String: RemotePermission] = {
    var needed: [String: RemotePermission] = [
      "Get": .look, "List": .look, "Why": .look, "Status": .look,
      "Rename": .change, "Undo": .change, "Start": .start,
    ]
    // The method of an operation has its name.
    for word in Wire.Operation.allCases.map(\.rawValue) {
      needed[word.prefix(1).uppercased() + word.dropFirst()] = .change
    }
    return needed
  }()
  /// The members of a ring that another machine may set. None of them runs a command. If `sound` is
  /// a path, `check` refuses the call.
  private static let ringMembers: Set<String> = [
    "disturb", "insist_usec", "ring_for_usec", "rising_usec", "silent", "sound", "volume",
  ]

  /// The method with which a bridge reads the ledger of another machine.
  public static let ledgerMethod = "\(BridgeInterface.name).Ledger"

  private var name: String? {
    let start = "\(TimersInterface.name)."
    return method.hasPrefix(start) ? String(method.dropFirst(start.count)) : nil
  }

  /// Whether the call is a change. A change must have an ID, so that the owner carries it out only
  /// once.
  public var isChange: Bool {
    guard let name, let needed = Self.needed[name] else { return false }
    return needed > .look
  }

  /// The call. If it is a change without an ID, the result is the same change with this ID.
  public func identified(by id: @autoclosure () -> String) -> RemoteCall {
    guard isChange, parameters["request"]?.stringValue == nil else { return self }
    var call = self
    let members = (parameters.objectValue ?? []).filter { $0.key != "request" }
    call.parameters = .object(members + [JSONValue.Member("request", .string(id()))])
    return call
  }

  /// Checks whether the owner permits the call.
  ///
  /// - Parameters:
  ///   - allowed: what other machines may do on the owner.
  ///   - nowUsec: the owner's CLOCK_REALTIME.
  /// - Throws: the error with which the owner answers.
  public func check(
    allowed: RemotePermission, nowUsec: Int64
  ) throws(CallRefusal) {
    // The events are visible to every machine that sees the timers, so no permission is needed.
    if method == Self.ledgerMethod { return }
    guard let name, let needed = Self.needed[name] else {
      throw CallRefusal(.methodNotFound(method: method), ["method": .string(method)])
    }
    guard needed <= allowed else { throw CallRefusal(.permissionDenied) }
    // A late answer to a question does no harm, whatever the clocks of the two machines show.
    if needed > .look, let validUntilUsec, validUntilUsec < nowUsec { throw .tooLate }
    guard let ring = parameters["ring"]?.objectValue else { return }
    for member in ring where !member.value.isNull {
      guard !Self.ringMembers.contains(member.key) || Self.isPath(member) else { continue }
      throw CallRefusal(
        "InvalidValue",
        [
          "parameter": .string("ring.\(member.key)"),
          "reason": .string(
            "'\(member.key)' cannot be set from another machine; set it on the machine that has the timer"
          ),
        ])
    }
  }

  private static func isPath(_ member: JSONValue.Member) -> Bool {
    member.key == "sound" && (member.value.stringValue?.contains("/") ?? true)
  }
}
