public import DescantCore
internal import Foundation
internal import Synchronization

/// A synthesizer that speaks tones: each letter or digit is a tone of 40 ms, punctuation is a pause.
///
/// The same request always returns the same samples, with exact marks. Callable from any thread.
public final class ToneSynthesizer: SpeechSynthesizer, Sendable {
    /// Frames per second, in Hz.
    public static let sampleRate = 8_000

    /// The capabilities of the synthesizer.
    public let capabilities: SpeechCapabilities

    private let isShutDown = Mutex(false)

    /// Creates a synthesizer.
    ///
    /// - Parameters:
    ///   - timing: The accuracy that the capabilities declare; marks are exact in any case.
    ///   - concurrency: The number of concurrent requests that the capabilities declare.
    public init(timing: SpeechCapabilities.WordTiming = .exact, concurrency: Int = 2) {
        capabilities = SpeechCapabilities(
            wordTiming: timing, cancelGranularity: .immediate, concurrency: concurrency, rateRange: 0.5...3,
            pitchRange: 0.5...2, languages: ["en", "en-GB"])
    }

    /// Two voices, an octave apart.
    public func voices() async throws -> [SpeechVoice] {
        [
            SpeechVoice(identifier: "low", name: "Low", languages: ["en"]),
            SpeechVoice(identifier: "high", name: "High", languages: ["en-GB", "en"]),
        ]
    }

    /// Speaks a request as tones.
    ///
    /// - Parameter request: What to speak.
    public func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let (stream, feed) = SpeechFeed.make()
        DedicatedQueue.run("descant.tone-synthesizer") { [self] in
            do {
                try check(request)
                speak(request, to: feed)
                feed.finish()
            } catch {
                feed.finish(throwing: error)
            }
        }
        return stream
    }

    /// Refuses every later request.
    public func shutdown() async { isShutDown.withLock { $0 = true } }

    private func check(_ request: SpeechRequest) throws {
        if isShutDown.withLock({ $0 }) { throw CoreError.invalidState("the tone synthesizer was shut down") }
        if let voice = request.voice, !["low", "high"].contains(voice) { throw CoreError.notFound("voice \(voice)") }
        if let language = request.language, !capabilities.languages.contains(language) {
            throw CoreError.unsupported("no voice speaks \(language)")
        }
    }

    private func speak(_ request: SpeechRequest, to feed: SpeechFeed) {
        let tempo = clamped(request.rate, capabilities.rateRange)
        let pitch = clamped(request.pitch, capabilities.pitchRange) * (request.voice == "high" ? 2 : 1)
        let bytes = Array(request.text.utf8)
        let words = SpokenWords.ranges(in: request.text)
        var frame: Int64 = 0
        for (index, word) in words.enumerated() {
            guard !isShutDown.withLock({ $0 }) else { return }
            let next = index + 1 < words.count ? words[index + 1].lowerBound : bytes.count
            let pause = bytes[word.upperBound..<next].contains { ",.;:!?".utf8.contains($0) } ? 0.15 : 0.02
            var chunk = SpeechChunk(samples: [], sampleRate: Self.sampleRate)
            var isSpoken = false
            for character in String(decoding: bytes[word], as: UTF8.self) where character.isLetter || character.isNumber
            {
                isSpoken = true
                chunk.samples += tone(character, pitch: pitch, seconds: 0.04 / tempo)
            }
            if isSpoken {
                chunk.samples += [Float](repeating: 0, count: frames(pause / tempo))
                chunk.marks = [
                    SpeechMark(
                        kind: .word, utf8Range: word, frame: frame, isEstimated: capabilities.wordTiming == .estimated)
                ]
                if capabilities.wordTiming == .none { chunk.marks = [] }
            } else {
                let message = "tones have no sound for signs"
                chunk.warnings = [SpeechWarning(kind: .unsupportedCharacters, utf8Range: word, message: message)]
            }
            frame += Int64(chunk.samples.count)
            guard feed.send(chunk) else { return }
        }
    }

    private func tone(_ character: Character, pitch: Double, seconds: Double) -> [Float] {
        let number = character.unicodeScalars.first.map { Int($0.value) % 26 } ?? 0
        let step = 2 * Double.pi * (200 + 40 * Double(number)) * pitch / Double(Self.sampleRate)
        return (0..<frames(seconds)).map { Float(0.3 * sin(step * Double($0 + 1))) }
    }

    private func frames(_ seconds: Double) -> Int { Int((seconds * Double(Self.sampleRate)).rounded()) }

    private func clamped(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        value.isNaN ? 1 : min(max(value, range.lowerBound), range.upperBound)
    }
}
