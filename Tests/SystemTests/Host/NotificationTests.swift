import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// A ring on a desktop. The daemon is the service, with all restrictions of its unit.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct NotificationTests {
  private let host: Host

  init() throws {
    host = try Host()
    try host.expectDesktop()
  }

  /// The picture in the X server's file (X11/XWDFile.h): words are big-endian, with 24 of 32 bits
  /// per pixel.
  private struct Picture {
    let width, height: Int
    /// Red, green, blue.
    let pixels: [UInt8]

    init(_ file: [UInt8]) throws {
      func word(_ index: Int) -> Int {
        file[(4 * index)..<(4 * index + 4)].reduce(0) { $0 << 8 | Int($1) }
      }
      try #require(file.count > 100 && word(1) == 7, "this is no picture")
      (width, height) = (word(4), word(5))
      let (line, isLittle) = (word(12), word(7) == 0)
      let start = word(0) + word(19) * 12
      try #require(file.count >= start + height * line && word(11) == 32)
      var pixels: [UInt8] = []
      pixels.reserveCapacity(width * height * 3)
      for y in 0..<height {
        for x in 0..<width {
          let pixel = file[(start + y * line + 4 * x)...].prefix(4)
          pixels += isLittle ? pixel.dropLast().reversed() : Array(pixel.dropFirst())
        }
      }
      self.pixels = pixels
    }

    /// How many pixels are not black.
    var lit: Int {
      stride(from: 0, to: pixels.count, by: 3).count { pixels[$0..<$0 + 3].contains { $0 > 40 } }
    }

    /// Writes a file that can be viewed (Netpbm's PPM).
    func write(to path: String) throws {
      try (Data("P6 \(width) \(height) 255\n".utf8) + Data(pixels)).write(to: URL(filePath: path))
    }
  }

  private func picture() throws -> Picture {
    let text = try host.user("base64 -w 0 screen/Xvfb_screen0")
    let data = try #require(Data(base64Encoded: text.trimmingCharacters(in: .newlines)))
    let picture = try Picture([UInt8](data))
    if let folder = ProcessInfo.processInfo.environment["NIGHTJAR_PICTURES"] {
      try picture.write(to: "\(folder)/ring-\(picture.lit).ppm")
    }
    return picture
  }

  @Test func `A ring makes the bus start a server and is on the screen, and its button works`()
    throws
  {
    try host.user("systemctl --user start nightjar.service")
    // The daemon was there before the session.
    try host.startScreen()
    #expect(try picture().lit == 0)
    try host.user("cp screen/Xvfb_screen0 blank")
    let state = try host.userRun("systemctl --user is-active dunst.service").output
    #expect(state == "inactive")
    #expect(try host.finding("ring").text.hasPrefix("shown by a server that is started for it"))
    try host.user("nightjar start 'tea & <b>cake</b>' 1s && nightjar wait 'tea & <b>cake</b>'")
    try host.awaitShown(1)
    // The server draws the popup a moment after it has reported it.
    try host.awaitUser("! cmp -s screen/Xvfb_screen0 blank")
    // The border of a critical popup, its background, and its letters.
    #expect(try picture().lit > 5000)
    #expect(try host.finding("ring").text.hasPrefix("shown by dunst "))

    try host.user("dunstctl action 0")
    _ = try host.awaitEvent("the dismissal") { $0["type"]?.stringValue == "dismissed" }
    try host.awaitShown(0)
    try host.user("nightjar start egg 1s && nightjar wait egg")
    try host.awaitShown(1)
    try host.user("nightjar dismiss egg")
    try host.awaitShown(0)
    let history = try host.shownBefore()
    #expect(history.contains("After 1 s."), "\(history.prefix(500))")
  }

  @Test(arguments: [false, true])
  func `A sound is heard from within the sandbox`(namespace: Bool) throws {
    if namespace { try host.sandbox("nightjar.service") }
    try host.startScreen()
    try host.startSoundServer()
    try host.user("systemctl --user start nightjar.service")
    let found = try host.finding("ring", "--ring")
    #expect(found.level == "ok" && found.text.contains("paplay has played it"), "\(found.text)")
    #expect(found.text.hasPrefix("dunst"))
    try host.awaitShown(1)
  }
}
