import Descant
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// What is known of a file's length before it is written.
struct FileRoomTests {
    private func length(_ lengths: [Double?], _ change: (inout RenderRequest) -> Void = { _ in }) -> Double? {
        var request = RenderRequest(inputs: [], output: URL(fileURLWithPath: "/nowhere/out.wav"))
        change(&request)
        return request.knownLength(of: lengths)
    }

    @Test func theLengthIsThatOfTheTracks() {
        #expect(length([10, 20]) == 30)
        #expect(length([10, nil]) == nil)
        #expect(length([10, 20]) { $0.options.rate = 2 } == 15)
        #expect(length([10, 20]) { $0.start = 4 } == 26)
        #expect(length([10, 20, 30]) { $0.options.configuration.crossfadeDuration = 2 } == 56)
    }

    @Test func repetitionsCount() {
        func repeats(_ mode: RepeatMode, _ count: Int?) -> (inout RenderRequest) -> Void {
            return { request in
                request.options.configuration.repeatMode = mode
                request.options.configuration.repeatCount = count
            }
        }
        #expect(length([10, 20], repeats(.playlist, 3)) == 120)
        #expect(length([10], repeats(.singleTrack, 3)) == 40)
        #expect(length([10, 20], repeats(.singleTrack, 3)) == nil)
        #expect(length([10, 20], repeats(.playlist, .max)) ?? 0 > 1e18)
    }

    @Test func commandsThatDecideWhatIsPlayedMakeItUnknown() {
        for command in [TimelineCommand.next, .stop, .pause, .seek(3), .rate(2)] {
            #expect(length([10]) { $0.options.steps = [TimelineStep(at: 1, command)] } == nil, "\(command)")
        }
        #expect(length([10]) { $0.options.steps = [TimelineStep(at: 1, .volume(20))] } == 10)
    }

    @Test func aWaveFileHolds4GiB() {
        #expect(WaveRoom(.f32, PCMFormat(sampleRate: 48_000, channels: 2)).seconds.rounded() == 11_185)
        #expect(WaveRoom(.s16, PCMFormat(sampleRate: 44_100, channels: 1)).seconds.rounded() == 48_696)
        #expect(WaveRoom(.s24, PCMFormat(sampleRate: 44_100, channels: 1)).seconds.rounded() == 32_464)
    }

    @Test func aLongTextIsWarnedOfWhereTheFileEnds() {
        func warning(_ bytes: Int, _ output: OutputDestination, rate: Double = 1) -> String? {
            SpeakRequest(
                text: String(repeating: "a", count: bytes), engine: nil, settings: SpeechSettings(rate: rate),
                output: output
            ).warning
        }
        let file = URL(fileURLWithPath: "/nowhere/out")
        #expect(warning(400_000, .wav(file, .f32))?.contains("7.4 hours") == true)
        #expect(warning(400_000, .wav(file, .f32))?.contains("6.2 hours") == true)
        #expect(warning(300_000, .wav(file, .f32)) == nil && warning(400_000, .wav(file, .f32), rate: 2) == nil)
        #expect(warning(400_000, .flac(file, bits: 24)) == nil && warning(400_000, .null) == nil)
    }
}
