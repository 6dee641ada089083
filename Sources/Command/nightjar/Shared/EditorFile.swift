import Glibc
import NightjarClient
import NightjarConfig

/// A temporary file with a text that the user edits.
struct EditorFile {
  let path: String

  /// - Throws: `CommandError`: the file cannot be written.
  init(_ text: String) throws(CommandError) {
    let folder = Environment.valueOrHome("TMPDIR") ?? "/tmp"
    var template = Array("\(folder)/nightjar-XXXXXX.toml".utf8CString)
    let descriptor = mkstemps(&template, Int32(".toml".utf8.count))
    path = template.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { String(cString: $0) } ?? ""
    }
    guard descriptor >= 0 else {
      throw CommandError(.refused, "cannot write to \(folder): \(SystemError.words(errno))")
    }
    defer { close(descriptor) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        defer { remove() }
        throw CommandError(.refused, "cannot write \(path): \(SystemError.words(errno))")
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Opens the file in the user's editor, and waits for the editor to end.
  ///
  /// - Returns: the content of the file after the editor has ended.
  /// - Throws: `CommandError`: the editor does not exist, or it failed.
  func edit() throws(CommandError) -> [UInt8] {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap(Environment.value).first { !$0.isEmpty }
    let editor = named ?? "vi"
    let quoted = "'\(path.replacing("'", with: "'\\''"))'"
    // EDITOR may contain arguments, as it may for other programs that start an editor.
    let status = system("\(editor) \(quoted)")
    guard status == 0 else {
      throw CommandError(.refused, "the editor '\(editor)' failed; set EDITOR to another")
    }
    return try read()
  }

  func read() throws(CommandError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandError(.refused, "cannot read \(path): \(SystemError.words(errno))")
    }
    defer { close(descriptor) }
    do throws(ReadFailure) {
      return try FileBytes.read(descriptor, limit: ConfigFile.maximumBytes)
    } catch {
      throw CommandError(.refused, "cannot read \(path): \(SystemError.words(error.code))")
    }
  }

  func remove() { unlink(path) }
}
