import DescantCore
import Testing

struct EqualizerSettingsTests {
    @Test func valuesAreClamped() {
        var settings = EqualizerSettings(preamp: 40, bandGains: [-13, .nan, 12.5])
        #expect(settings.preamp == 12)
        #expect(settings.bandGains == [-12, 0, 12, 0, 0, 0, 0, 0, 0, 0])
        settings.preamp = -.infinity
        #expect(settings.preamp == -12)
    }

    @Test func fewerGainsSetTheFirstBands() {
        var settings = EqualizerSettings(bandGains: [Double](repeating: 1, count: 12))
        #expect(settings.bandGains == [Double](repeating: 1, count: 10))
        settings.bandGains = [5, 4]
        #expect(settings.bandGains == [5, 4, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(!settings.isFlat)
        #expect(EqualizerSettings(isEnabled: true).isFlat)
    }

    @Test func duckingIsClamped() {
        let ducking = Ducking(amount: 99, attack: 0, hold: -1, release: .nan)
        #expect(ducking == Ducking(amount: 60, attack: 0.01, hold: 0, release: 0.01))
    }
}
