internal import COpenSSL
internal import Glibc
internal import NightjarConfig
internal import NightjarInterface

/// Checks the TLS files of `[mqtt]` before the bridge connects.
///
/// If a file is wrong, libmosquitto reports only that a TLS error occurred, and does not name the
/// file.
enum TLSFiles {
  /// The mistakes in the files. Each is a sentence with the key, the file, the reason and the
  /// remedy.
  static func problems(in settings: BridgeSettings) -> [BrokerProblem] {
    guard case .tls = settings.broker, let context = SSL_CTX_new(TLS_client_method()) else {
      return []
    }
    defer {
      SSL_CTX_free(context)
      // Otherwise libmosquitto would report an old error of OpenSSL as its own.
      ERR_clear_error()
    }
    let certificate = certificateProblem(settings.certificatePath, context)
    let problems = [
      authorityProblem(settings.authorityPath, context), certificate,
      keyProblem(
        settings.keyPath, of: certificate == nil ? settings.certificatePath : nil, context),
    ]
    return problems.compactMap(\.self)
  }

  // MARK: - Each file

  private static func authorityProblem(_ path: String?, _ context: OpaquePointer) -> BrokerProblem?
  {
    guard let path else { return nil }
    if let problem = unreadable("ca", path) { return problem }
    ERR_clear_error()
    return SSL_CTX_load_verify_file(context, path) == 1 ? nil : noCertificate("ca", path)
  }

  private static func certificateProblem(_ path: String?, _ context: OpaquePointer)
    -> BrokerProblem?
  {
    guard let path else { return nil }
    if let problem = unreadable("certificate", path) { return problem }
    ERR_clear_error()
    guard SSL_CTX_use_certificate_chain_file(context, path) == 1 else {
      return noCertificate("certificate", path)
    }
    guard let certificate = SSL_CTX_get0_certificate(context),
      X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0
    else { return nil }
    return BrokerProblem(
      "'certificate' names \(path), which has expired by this machine's clock", "get a new one")
  }

  /// - Parameter certificate: the path of the certificate that the key must match; nil: unknown.
  private static func keyProblem(
    _ path: String?, of certificate: String?, _ context: OpaquePointer
  ) -> BrokerProblem? {
    guard let path else { return nil }
    if let problem = unreadable("key", path) { return problem }
    // A context without a certificate, so that OpenSSL accepts a key that does not match the
    // certificate. That mistake is reported separately.
    guard let bare = SSL_CTX_new(TLS_client_method()) else { return nil }
    defer { SSL_CTX_free(bare) }
    ERR_clear_error()
    var isLocked = false
    let isKey = withUnsafeMutablePointer(to: &isLocked) { isLocked in
      // Without this, OpenSSL would ask for the passphrase on the terminal.
      SSL_CTX_set_default_passwd_cb(bare) { _, _, _, isLocked in
        isLocked?.assumingMemoryBound(to: Bool.self).pointee = true
        return -1
      }
      SSL_CTX_set_default_passwd_cb_userdata(bare, isLocked)
      return SSL_CTX_use_PrivateKey_file(bare, path, SSL_FILETYPE_PEM) == 1
    }
    if isLocked {
      return BrokerProblem(
        "'key' names \(path), which has a passphrase, and nightjar-mqtt cannot ask for it",
        "write it without one: openssl pkey -in \(path) -out NEW")
    }
    guard isKey else {
      return BrokerProblem(
        "'key' names \(path), in which OpenSSL finds no key (\(reason))",
        "give one in PEM form, which begins with -----BEGIN PRIVATE KEY-----")
    }
    guard let certificate else { return nil }
    let fits =
      SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1
      && SSL_CTX_check_private_key(context) == 1
    return fits
      ? nil
      : BrokerProblem(
        "'key' names \(path), which does not belong to the certificate \(certificate)",
        "give the key for which that certificate was made")
  }

  // MARK: - Texts of mistakes

  private static func noCertificate(_ key: String, _ path: String) -> BrokerProblem {
    BrokerProblem(
      "'\(key)' names \(path), in which OpenSSL finds no certificate (\(reason))",
      "give one in PEM form, which begins with -----BEGIN CERTIFICATE-----")
  }

  /// The first error that OpenSSL recorded.
  private static var reason: String {
    ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) } ?? "it does not say why"
  }

  private static func unreadable(_ key: String, _ path: String) -> BrokerProblem? {
    // Without O_NONBLOCK, opening a named pipe would block until another process opens the pipe for
    // writing.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    let code = errno
    defer { if descriptor >= 0 { close(descriptor) } }
    var status = stat()
    if descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      return nil
    }
    let reason = descriptor < 0 ? String(cString: strerror(code)) : "it is no ordinary file"
    return BrokerProblem(
      "'\(key)' names \(path), which cannot be read: \(reason)",
      "correct the path, or let the user who runs nightjar-mqtt read the file")
  }
}
