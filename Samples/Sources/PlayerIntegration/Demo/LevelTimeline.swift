internal import AudioMeasurement
public import Foundation
public import PlayerApp

/// The levels of a file over time, for meters without sound.
public struct LevelTimeline: Sendable {
    /// The levels of every span, in order.
    public let spans: [ChannelLevels]
    /// Length of a span in seconds.
    public let spanLength: TimeInterval

    /// Measures a WAVE file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - spanLength: Length of a span in seconds.
    /// - Throws: `WaveFileError`.
    public init(of url: URL, spanLength: TimeInterval = 1) throws {
        let file = try WaveFileReader(url: url)
        let frames = max(1, Int(Double(file.sampleRate) * spanLength))
        var spans: [ChannelLevels] = []
        while case let block = try file.read(maxFrames: frames), !block.isEmpty {
            spans.append(Self.levels(of: block, channels: file.channels))
        }
        self.spans = spans
        self.spanLength = spanLength
    }

    private static func levels(of block: [Float], channels: Int) -> ChannelLevels {
        var levels = ChannelLevels(
            peak: Array(repeating: 0, count: channels), rms: Array(repeating: 0, count: channels))
        for channel in 0..<channels {
            var sum = 0.0
            for index in stride(from: channel, to: block.count, by: channels) {
                levels.peak[channel] = max(levels.peak[channel], abs(block[index]))
                sum += Double(block[index]) * Double(block[index])
            }
            levels.rms[channel] = Float((sum / Double(max(1, block.count / channels))).squareRoot())
        }
        return levels
    }
}
