import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing

@testable import nightjar

/// The colours of bands: those that are shown, and those that are refused.
@Suite(.blocking) struct BandColorTests {
  @Test(arguments: ["red", "Red", "#f80", "#ff8800", "turquoise", ""])
  func `A band has a known colour, or none`(color: String) throws {
    let bands = try BandArgument.bands(["1min=x:\(color)"])
    #expect(bands.map(\.color) == [color.isEmpty ? nil : color])
  }

  @Test(arguments: [
    (
      "notacolor",
      "no colour is called 'notacolor'; write one such as red, #f80 or #ff8800: nightjar-start(1) has "
        + "the names"
    ),
    ("Orage", "no colour is called 'Orage'; did you mean 'orange'?"),
    (
      "#ff88",
      "no colour is called '#ff88'; write one such as red, #f80 or #ff8800: nightjar-start(1) has the "
        + "names"
    ),
  ])
  func `An unknown colour is refused, with the colour that was probably meant`(
    color: String, sentence: String
  ) throws {
    let fixture = try Fixture(Fixture.four)
    for arguments in [["start", "new", "4min"], ["update", "tea"]] {
      #expect(
        try fixture.runner.run(arguments + ["--band", "1min=x:\(color)"])
          == .sentence(64, sentence))
    }
    #expect(fixture.daemon.requests.isEmpty)
  }

  @Test func `The page of start names every colour that has a name`() throws {
    let page = try #require(ManualPage.named("nightjar-start.1"))
    let words = page.plain.split { !$0.isLetter }.map(String.init)
    #expect(Color.names.count == 30 && Set(Color.names).isSubset(of: words))
  }

  @Test(arguments: ["10s=warn,10s=urgent", "10s=warn,20s=urgent"])
  func `Bands begin one after the other: neither two at once, nor a longer one after a shorter`(
    text: String
  ) throws {
    #expect(try BandArgument.bands(["20s=warn,10s=urgent"]).map(\.name) == ["warn", "urgent"])
    for texts in [[text], text.split(separator: ",").map(String.init)] {
      let error = #expect(throws: CommandError.self) { try BandArgument.bands(texts) }
      #expect(error?.status == .usage)
      #expect(error?.message.description.contains("does not come after 'warn'") == true)
    }
  }
}
