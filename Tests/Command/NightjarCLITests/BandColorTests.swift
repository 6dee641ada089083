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

  @Test func `The page of start names every colour that has a name`() throws {
    let words = try ManualPage("nightjar-start.1").text().split { !$0.isLetter }.map(String.init)
    #expect(Color.names.count == 30 && Set(Color.names).isSubset(of: words))
  }

  @Test(arguments: ["10s=warn,10s=urgent", "10s=warn,20s=urgent"])
  func `Bands begin one after the other: neither two at once, nor a longer one after a shorter`(
    text: String
  ) throws {
    #expect(try BandArgument.bands(["20s=warn,10s=urgent"]).map(\.name) == ["warn", "urgent"])
    for texts in [[text], text.split(separator: ",").map(String.init)] {
      let error = #expect(throws: CommandError.self) { try BandArgument.bands(texts) }
      let isTold = error?.message.description.contains("does not come after 'warn'") == true
      #expect(error?.status == .usage && isTold)
    }
  }
}
