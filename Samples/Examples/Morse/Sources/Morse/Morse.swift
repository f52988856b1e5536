import Descant
import Foundation

/// Speaks in Morse code; a dot takes 30 ms.
final class MorseVoice: SpeechSynthesizer {
    let capabilities = SpeechCapabilities(
        wordTiming: .exact, cancelGranularity: .immediate, concurrency: 2, rateRange: 0.5...4, languages: ["en"])

    private let workers = SpeechWorkers(name: "morse", limit: 2)

    func voices() async throws -> [SpeechVoice] {
        [SpeechVoice(identifier: "morse", name: "Morse code", languages: ["en"])]
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { feed in
            if let voice = request.voice, voice != "morse" { throw CoreError.notFound("morse: no voice \"\(voice)\"") }
            if let tag = request.language, !tag.hasPrefix("en") { throw CoreError.unsupported("morse: no \"\(tag)\"") }
            let dot = 0.03 / (request.rate.isNaN ? 1 : min(max(request.rate, 0.5), 4))
            let bytes = Array(request.text.utf8)
            var frame: Int64 = 0
            for range in SpokenWords.ranges(in: request.text) {
                let word = String(decoding: bytes[range], as: UTF8.self).lowercased()
                let codes = word.compactMap { Self.codes[$0] }
                var chunk = SpeechChunk(samples: codes.flatMap { Self.sound($0, dot: dot) }, sampleRate: 8_000)
                if codes.isEmpty {
                    chunk.warnings = [SpeechWarning(kind: .unsupportedCharacters, utf8Range: range, message: "no code")]
                } else {
                    chunk.marks = [SpeechMark(kind: .word, utf8Range: range, frame: frame, isEstimated: false)]
                    chunk.samples += Self.tone(seconds: 4 * dot, level: 0)
                }
                frame += Int64(chunk.samples.count)
                guard feed.send(chunk) else { return }
            }
        }
    }

    func shutdown() async { await workers.shutdown() }

    private static func sound(_ code: Substring, dot: Double) -> [Float] {
        code.flatMap { tone(seconds: $0 == "." ? dot : 3 * dot, level: 0.4) + tone(seconds: dot, level: 0) }
            + tone(seconds: 2 * dot, level: 0)
    }

    private static func tone(seconds: Double, level: Double) -> [Float] {
        (0..<Int(seconds * 8_000)).map { Float(level * sin(2 * .pi * 600 / 8_000 * Double($0 + 1))) }
    }

    private static let codes: [Character: Substring] = Dictionary(
        uniqueKeysWithValues: zip(
            "abcdefghijklmnopqrstuvwxyz0123456789",
            """
            .- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. \
            ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.
            """.split(separator: " ")))
}

struct MorsePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.morse", name: "Morse", version: "1.0.0", license: "Apache-2.0",
        provides: [.speechSynthesizer("morse", languages: ["en"]) { MorseVoice() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: MorsePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(MorsePlugin.self, host) }
