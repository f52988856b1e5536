import AudioMeasurement
import Foundation
import Testing

struct WaveFileTests {
    private func temporary() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("wave-\(UUID().uuidString).wav")
    }

    @Test(arguments: [WaveSampleFormat.float32, .integer(bits: 16), .integer(bits: 24), .integer(bits: 32)])
    func samplesRoundTrip(format: WaveSampleFormat) throws {
        let url = temporary()
        defer { try? FileManager.default.removeItem(at: url) }
        let samples: [Float] = [0, 0.5, -0.5, 0.25, -1, 0.125]
        try WaveFile.write(samples, sampleRate: 32000, channels: 2, format: format, to: url)
        let reader = try WaveFileReader(url: url)
        #expect(reader.sampleRate == 32000)
        #expect(reader.channels == 2)
        #expect(reader.sampleFormat == format)
        #expect(reader.frameCount == 3)
        #expect(try reader.read(maxFrames: 2) == Array(samples[0..<4]))
        #expect(try reader.readAll() == Array(samples[4...]))
    }

    @Test func integersAreClipped() throws {
        let url = temporary()
        defer { try? FileManager.default.removeItem(at: url) }
        try WaveFile.write([2, -2], sampleRate: 8000, channels: 1, format: .integer(bits: 16), to: url)
        #expect(try WaveFileReader(url: url).readAll() == [32767.0 / 32768.0, -1])
    }

    @Test func otherFilesAreRefusedWithTheirName() throws {
        let url = temporary()
        defer { try? FileManager.default.removeItem(at: url) }
        try Data("plain text, no sound at all".utf8).write(to: url)
        let error = #expect(throws: WaveFileError.self) { try WaveFileReader(url: url) }
        #expect(error?.description.contains(url.path) == true)
    }
}
