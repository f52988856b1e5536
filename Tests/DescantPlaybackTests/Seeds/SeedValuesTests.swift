import DescantCore
import DescantPlayback
import Foundation
import Testing

/// Names and values that code from other systems brings along.
@Suite struct SeedValuesTests {
    @Test(arguments: [
        ("equal_power", FadeCurve.equalPower), ("s_curve", .sCurve), ("linear", .linear), ("equalPower", .equalPower),
        ("logarithmic", .logarithmic), ("exponential", .exponential),
    ])
    func curvesDecodeByBothNames(_ name: String, _ curve: FadeCurve) throws {
        #expect(try JSONDecoder().decode([FadeCurve].self, from: Data("[\"\(name)\"]".utf8)) == [curve])
        #expect(try JSONDecoder().decode([FadeCurve].self, from: JSONEncoder().encode([curve])) == [curve])
    }

    @Test func anUnknownCurveNamesTheKnownOnes() {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FadeCurve].self, from: Data("[\"cubic\"]".utf8))
        }
        #expect("\(String(describing: error))".contains("equalPower"))
    }

    @Test func tagsHaveTheUnitsOfTheOriginal() {
        var tags = TagBundle()
        #expect(tags.bitrate == nil && TagBundle.currentSchemaVersion == 2)
        tags.technical = TechnicalProperties()
        tags.technical?.bitrate = 191_600
        tags.technical?.codec = "MP3"
        tags.technical?.fileSize = 12
        #expect(tags.bitrate == 192 && tags.codec == "MP3" && tags.fileSize == 12)
    }

    @Test func theRestOfATrack() {
        #expect(PlaybackPosition(currentTime: 40, duration: 100).remainingTime == 60)
        #expect(PlaybackPosition(currentTime: 40, duration: 0).remainingTime == 0)
    }

    @Test func configurationsAreMadeAsBefore() {
        #expect(PlayerConfiguration.default == PlayerConfiguration())
        let seed = OverlayConfiguration(
            loopMode: .count(3), loopDelay: 5, volume: 0.4, fadeInDuration: 1, fadeOutDuration: 2, fadeCurve: .sCurve,
            applyFadeOnEachLoop: true)
        let own = OverlayConfiguration(
            volume: 0.4, loopMode: .count(3), loopDelay: 5, fadeInDuration: 1, fadeOutDuration: 2,
            applyFadeOnEachLoop: true, fadeCurve: .sCurve)
        #expect(seed == own)
        #expect(seed.isValid)
    }
}
