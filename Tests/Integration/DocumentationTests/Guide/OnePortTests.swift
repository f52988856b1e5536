import Descant
import DescantTesting
import Foundation
import Testing

/// What the guide for hosts of one file shows, run.
struct OnePortTests {
    private let directory: TemporaryDirectory
    private let tone = TestSignal.sine(440, amplitude: 0.25, seconds: 0.5, depth: .int16).samples()
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory(label: "descant-guide")
        url = try FixtureEncoder().encode(tone, as: .wav(.int16), to: directory.file("tone.wav"))
    }

    @Test(.timeLimit(.minutes(2))) func playsAndRenders() async throws {
        let copy = directory.file("copy.wav")
        #expect(try await playOneFile(url, to: .wav(copy, .f32)) == 0.5)
        #expect(try WAVFile(contentsOf: copy).content == tone)
        #expect(try abs(peak(of: url) - 0.25) < 0.001)
        let raw = directory.file("copy.raw")
        try render(tone.samples, channels: 2, sampleRate: 48_000, to: GStreamerOutput(destination: .raw(raw, .f32)))
        #expect(try Data(contentsOf: raw).count == tone.samples.count * 4)
    }

    @Test func staysWithinItsFolder() throws {
        let service = serviceWithin(directory.url, output: .discard)
        try service.load(url: url)
        #expect(throws: CoreError.self) { try service.load(url: URL(fileURLWithPath: "/etc/hostname")) }
    }
}
