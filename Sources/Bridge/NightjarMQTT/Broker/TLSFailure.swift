internal import COpenSSL
internal import NightjarConfig
internal import NightjarInterface
internal import NightjarTime

/// Collects the errors of OpenSSL and libmosquitto during the TLS handshake.
///
/// These errors are needed because libmosquitto's own code says only that a TLS error occurred.
struct TLSFailure {
  /// Whether the broker's certificate is for another name than the one in the configuration.
  private var isOtherName = false
  /// OpenSSL's verdict on the broker's certificate (X509_STORE_CTX_get_error(3)).
  private var verdict = X509_V_OK
  /// OpenSSL's first error; nil: none.
  private var words: String?

  /// Reads a line of libmosquitto's log.
  ///
  /// - Parameter verdict: OpenSSL's present verdict on the broker's certificate.
  mutating func note(_ line: String, verdict: Int?) {
    if line.firstPlace(of: "host name verification failed") != nil { isOtherName = true }
    // For example: OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed
    guard words == nil, line.hasPrefix("OpenSSL Error") else { return }
    words = line.split(separator: ":").last.map(String.init)
    self.verdict = verdict.map { Int32(truncatingIfNeeded: $0) } ?? X509_V_OK
  }

  /// Why there is no connection, and which file of `[mqtt]` is wrong.
  func problem(_ settings: BridgeSettings) -> BrokerProblem {
    if isOtherName {
      return BrokerProblem(
        "the broker's certificate is for another name",
        "write in 'broker' the name that the certificate has")
    }
    switch verdict {
    case X509_V_OK: return problem(words: words ?? "", settings)
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return BrokerProblem(
        "the broker's certificate has expired by this machine's clock", "give the broker a new one")
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return BrokerProblem(
        "the broker's certificate is not valid yet by this machine's clock",
        "set the clock, or give the broker another one")
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_SIGNATURE_FAILURE:
      guard let path = settings.authorityPath else {
        return BrokerProblem(
          "the broker's certificate is not signed by an authority that this machine trusts",
          "give the certificate of its authority as 'ca'")
      }
      return BrokerProblem(
        "the broker's certificate is not signed by an authority in \(path)",
        "give 'ca' a file with the certificate of its authority")
    default:
      let words = X509_verify_cert_error_string(Int(verdict)).map { String(cString: $0) }
      return BrokerProblem(
        "the broker's certificate is not accepted: \(words ?? "error \(verdict)")",
        "give the broker another one")
    }
  }

  /// The sentence for the case that the broker's certificate is valid. The broker sends an alert
  /// before it closes the connection. If this machine sends data at the same time, the alert is
  /// lost, and `words` is empty.
  private func problem(words: String, _ settings: BridgeSettings) -> BrokerProblem {
    let ofCertificates = ["certificate", "unknown ca", "access denied", "handshake failure"]
    func isSaid(_ word: String) -> Bool { words.firstPlace(of: word) != nil }
    if words.isEmpty || isSaid("alert") && ofCertificates.contains(where: isSaid) {
      return BrokerProblem(
        "the broker ended the connection in the TLS handshake",
        settings.certificatePath.map {
          """
          perhaps it does not accept the certificate \($0): it has to be signed by an authority \
          that the broker trusts
          """
        } ?? "perhaps it wants a certificate of this machine: give 'certificate' and 'key'")
    }
    if ["unexpected eof while reading", "wrong version number"].contains(words) {
      return BrokerProblem(
        "the broker does not speak TLS there",
        "give the port with TLS, or write mqtt:// in place of mqtts:// in 'broker'")
    }
    return BrokerProblem("the TLS handshake failed: \(words)", "the broker's log may say more")
  }
}
