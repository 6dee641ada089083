import Glibc
import NightjarClient

/// Runs another program and collects its output.
enum ProgramOutput {
  private static let limitBytes = 64 * 1024

  /// The standard output of a command; nil if its program does not exist, fails, or does not end in
  /// time.
  static func of(
    _ command: [String], environment: [String: String], within usec: Int64
  ) -> String? {
    let end = end(of: command, environment: environment, within: usec)
    return end?.status == 0 ? end?.output : nil
  }

  /// The exit status and the standard output of a command; nil if its program does not exist, or
  /// does not end in time.
  static func end(
    of command: [String], environment: [String: String], within usec: Int64
  ) -> (status: Int32, output: String)? {
    // The output goes to an unnamed file, so that this command need not read a pipe while the
    // program runs.
    guard let file = tmpfile() else { return nil }
    defer { fclose(file) }
    let process: ChildProcess
    do {
      process = try ChildProcess(
        searching: command[0], arguments: Array(command.dropFirst()), environment: environment,
        output: .descriptor(fileno(file)), errors: nil)
    } catch {
      return nil
    }
    guard let code = process.wait(until: .after(usec: usec)) else {
      kill(process.id, SIGKILL)
      _ = process.wait(until: .never)
      return nil
    }
    var buffer = [UInt8](repeating: 0, count: limitBytes)
    let count = pread(fileno(file), &buffer, buffer.count, 0)
    return count >= 0 ? (code, String(decoding: buffer[..<count], as: UTF8.self)) : nil
  }
}
