import Varlink

enum LampError: WireFailure, Equatable {
  case tooBright(most: Int64)
  case varlink(VarlinkError)
  func write(to writer: inout JSONWriter) {
    switch self {
    case .tooBright(let most):
      writer.writeError(name: "org.example.Lamp.TooBright") { $0.member("most", most) }
    case .varlink(let error): writer.writeError(error)
    }
  }
}
