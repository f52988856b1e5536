internal import AudioMeasurement
internal import Foundation

/// Peak and loudness of a rendered file, from what was really written.
struct FileMeasurement {
    let peak: Double
    let loudness: Double?

    init(of url: URL) throws {
        let file = try WaveFileReader(url: url)
        var meter = LoudnessMeter(sampleRate: file.sampleRate, channels: file.channels)
        while case let block = try file.read(maxFrames: 1 << 16), !block.isEmpty { meter.process(block) }
        peak = Double(meter.peak)
        loudness = meter.integratedLoudness
    }

    func fill(_ report: inout RenderReport) {
        report.peak = peak
        report.loudnessLUFS = loudness
    }
}
