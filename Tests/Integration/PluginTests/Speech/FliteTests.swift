import Descant
import DescantTesting
import Foundation
import Testing

/// flite inside the process.
@Suite struct FliteTests {
    @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
    func keepsTheContract(rule: SpeechSynthesizerContract.Rule) async throws {
        let bundle = try SpeechBundle("FliteSpeech")
        let contract = SpeechSynthesizerContract(hostileLength: 600) { try bundle.synthesizer("flite") }
        let findings = await contract.check(rule)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test(arguments: ["slt", "rms", "awb"])
    func everyVoiceHasExactMarks(voice: String) async throws {
        let synthesizer = try SpeechBundle("FliteSpeech").synthesizer("flite")
        let text = "Dr. Apple, river, (stone), 1234, naïve, paper. Theory! Window?"
        let words = ["Dr", "Apple", "river", "stone", "1234", "naïve", "paper", "Theory", "Window"]
        var errors = words.map { _ in 1.0 }
        // In the random noise of flite's consonants a word's beginning may be detected too late once, but hardly twice.
        for _ in 0..<2 {
            let speech = try await Speech(synthesizer, SpeechRequest(text: text, voice: voice))
            let onsets = SoundOnsets.frames(in: speech.samples, sampleRate: speech.sampleRate)
            #expect(speech.words.map { String(decoding: Array(text.utf8)[$0.utf8Range], as: UTF8.self) } == words)
            #expect(onsets.first.map { $0 < speech.sampleRate / 10 } == true, "sound begins at once")
            let distances = speech.words.map { word in
                onsets.map { abs(Double($0) - Double(word.frame)) / Double(speech.sampleRate) }.min() ?? 1
            }
            errors = zip(errors, distances).map(min)
        }
        // "Apple" follows "Dr" without silence, and one comma may be too short to be found again.
        #expect(errors.count { $0 <= 0.03 } >= words.count - 2, "\(errors)")
    }

    @Test func pitchAndForeignScriptsAreHandled() async throws {
        let synthesizer = try SpeechBundle("FliteSpeech").synthesizer("flite")
        let text = "Tea 日本語 and coffee 👩‍👧."
        let speech = try await Speech(synthesizer, SpeechRequest(text: text, language: "en-GB"))
        #expect(speech.warnings.map(\.kind) == [.unsupportedCharacters, .unsupportedCharacters])
        #expect(
            speech.warnings.map { String(decoding: Array(text.utf8)[$0.utf8Range], as: UTF8.self) } == ["日本語", "👩‍👧"])
        #expect(speech.words.count == 3)
        for voice in try await synthesizer.voices() where voice.identifier != "rms" {
            let frequencies = try await [0.7, 1, 1.4].asyncMap { pitch in
                let request = SpeechRequest(text: "All our lawyers are away.", voice: voice.identifier, pitch: pitch)
                return Self.pitch(try await Speech(synthesizer, request))
            }
            #expect(abs(frequencies[0] / frequencies[1] - 0.7) < 0.12, "\(voice.identifier): \(frequencies)")
            #expect(abs(frequencies[2] / frequencies[1] - 1.4) < 0.25, "\(voice.identifier): \(frequencies)")
        }
    }

    @Test func unsupportedFeaturesAreReported() async throws {
        let synthesizer = try SpeechBundle("FliteSpeech").synthesizer("flite")
        let low = SpeechRequest(text: "one", voice: "rms", pitch: 0.7)
        #expect(try await Speech(synthesizer, low).warnings.map(\.kind) == [.adjustedParameter])
        let french = SpeechRequest(text: "one", voice: "slt", language: "fr")
        #expect(try await Speech(synthesizer, french).warnings.map(\.kind) == [.unsupportedLanguage])
    }

    /// The median fundamental of the voiced stretches, in Hz, by autocorrelation.
    private static func pitch(_ speech: Speech) -> Double {
        guard speech.sampleRate > 0 else { return 0 }
        let window = speech.sampleRate / 20
        let found = stride(from: 0, to: speech.samples.count - 2 * window, by: window).compactMap { start -> Double? in
            let lags = speech.sampleRate / 400...speech.sampleRate / 50
            func likeness(_ lag: Int) -> Float {
                (0..<window).reduce(0) { $0 + speech.samples[start + $1] * speech.samples[start + $1 + lag] }
            }
            let energy = likeness(0)
            guard energy > 0.1, let best = lags.max(by: { likeness($0) < likeness($1) }), likeness(best) > 0.5 * energy
            else { return nil }
            return Double(speech.sampleRate) / Double(best)
        }.sorted()
        return found.isEmpty ? 0 : found[found.count / 2]
    }
}

extension Array {
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
