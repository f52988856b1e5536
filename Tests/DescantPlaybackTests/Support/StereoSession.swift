import DescantCore
import DescantPlayback
import DescantTesting
import Foundation

/// A player on the engine in memory, in stereo, so that tests can separate two sounds by channel.
extension PlayerSession {
    static let stereo = PCMFormat(sampleRate: 8_000, channels: 2)

    static func inStereo() async -> PlayerSession { await PlayerSession(.offline(format: stereo)) }

    /// Makes a sound of a constant level in one channel.
    @discardableResult
    func level(
        _ name: String, _ value: Float, channel: Int, seconds: Double, replayGain: ReplayGainTags? = nil
    ) -> URL {
        let frames = Int((seconds * Double(Self.stereo.sampleRate)).rounded())
        var content = SampleBuffer(format: Self.stereo, samples: [Float](repeating: 0, count: frames * 2))
        for frame in 0..<frames { content.samples[2 * frame + channel] = value }
        return register(name, content, replayGain: replayGain)
    }

    /// Registers a sound.
    @discardableResult
    func register(_ name: String, _ content: SampleBuffer, replayGain: ReplayGainTags? = nil) -> URL {
        let url = Self.url(name)
        let track = TrackInfo(
            title: name, duration: content.duration,
            format: AudioFormat(
                sampleRate: Double(content.format.sampleRate), channelCount: content.format.channels, codec: "PCM"),
            replayGain: replayGain)
        manual.decks.register(content, for: url, track: track)
        return url
    }

    /// Waits until an overlay's newest state is this one.
    func wait(for state: OverlayState, of id: OverlayID) async throws {
        try await events.wait { (events: [PlayerEvent]) in
            let states = events.compactMap { event -> OverlayState? in
                if case .overlayChanged(id, let state) = event.kind { state } else { nil }
            }
            return states.last == state
        }
    }
}
