import DescantCore
import Foundation
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

    private func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(text.utf8))
    }

    @Test func decodedSettingsAreClampedAndHaveTenBands() throws {
        var settings = try decode(
            EqualizerSettings.self, from: #"{"isEnabled":true,"preamp":60,"gains":[99,"nan",-1]}"#)
        #expect(settings == EqualizerSettings(isEnabled: true, preamp: 12, bandGains: [12, 0, -1]))
        settings.bandGains = [Double](repeating: 3, count: 10)
        #expect(settings.bandGains == [Double](repeating: 3, count: 10))
        let written = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(EqualizerSettings.self, from: written) == settings)
    }

    @Test func decodedDuckingIsClamped() throws {
        let raising = try decode(Ducking.self, from: #"{"amount":-60,"attack":0,"hold":"inf","release":"nan"}"#)
        #expect(raising == Ducking(amount: 0, attack: 0.01, hold: 60, release: 0.01))
        let ducking = Ducking(amount: 9, attack: 0.5, hold: 1, release: 2)
        let written = try JSONEncoder().encode(ducking)
        #expect(try JSONDecoder().decode(Ducking.self, from: written) == ducking)
    }
}
