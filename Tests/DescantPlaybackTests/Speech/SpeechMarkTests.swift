import DescantCore
import DescantPlayback
import Testing

/// The marks of synthesizers that give them in unusual places.
@Suite struct SpeechMarkTests {
    private static let sound = SpeechChunk(samples: [Float](repeating: 0.25, count: 3_200), sampleRate: 16_000)

    private func marks(_ frames: [Int64], before sound: [SpeechChunk]) async throws -> [SpeechMark] {
        let words = SpokenWords.ranges(in: "one two")
        let marks = zip(words, frames).map { word, frame in
            SpeechMark(kind: .word, utf8Range: word, frame: frame, isEstimated: false)
        }
        let first = SpeechChunk(samples: [], sampleRate: 16_000, marks: marks)
        let synthesizer = ScriptedSynthesizer([ScriptedSynthesizer.Attempt(chunks: [first] + sound)])
        let tracks = SpeechTracks(identifier: "scripted", synthesizer: synthesizer)
        let url = try tracks.add("one two")
        _ = try await tracks.audioSource(for: url)
        defer { tracks.remove(url) }
        return tracks.marks(of: url)
    }

    @Test func marksMayComeBeforeTheirSound() async throws {
        let marks = try await marks([0, 1_600], before: [Self.sound])
        #expect(marks.map(\.frame) == [0, 1_600])
        #expect(marks.allSatisfy { !$0.isEstimated })
    }

    /// No number that a plugin gives may end the host.
    @Test func framesMayBeAnyNumbers() async throws {
        let marks = try await marks([.min, .max], before: [Self.sound])
        #expect(marks.map(\.frame) == [0, FrameCount.limit])
    }
}
