import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Synchronization

/// A file through the whole engine: GStreamer's decks, the mixer's converters, an output without a device.
enum OfflineMix {
    /// Renders a source at 48 kHz until it is over, or until a limit.
    ///
    /// - Parameters:
    ///   - jumps: Whether it is also paused, moved and begun again on the way.
    static func render(
        _ source: AudioSource, speed: Double = 1, jumps: Bool = false, limit: Int64 = 48_000 * 20
    ) async throws -> SampleBuffer {
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let output = ManualOutput(format: format, isOffline: true, blockFrames: 4_800)
        let mixer = Mixer(
            decks: GStreamerDecks(), output: output, converters: GstSampleConverterFactory(), identifier: "offline")
        do {
            try await play(source, on: mixer, speed: speed, jumps: jumps, limit: limit)
        } catch {
            await mixer.shutdown()
            throw error
        }
        await mixer.shutdown()
        return output.rendered
    }

    private static func play(
        _ source: AudioSource, on mixer: Mixer, speed: Double, jumps: Bool, limit: Int64
    ) async throws {
        let main = mixer.mainLayer
        let deck = try await mixer.openDeck(source, gain: 1, isClip: false)
        if speed != 1 { try await mixer.setRate(speed, of: main) }
        try await mixer.play(deck.id, on: main, entry: .cut, loop: nil)
        try await mixer.setFollowUp(.nothing, on: main)
        if jumps {
            _ = try await mixer.advance(frames: 9_600, untilIdle: main)
            // A source that has ended cannot seek.
            try? await mixer.seek(main, to: 0.3, fade: 0)
            _ = try await mixer.advance(frames: 9_600, untilIdle: main)
            let next = try await mixer.openDeck(source, gain: 1, isClip: false)
            try await mixer.play(next.id, on: main, entry: .crossfade(0.2, curve: .linear), loop: nil)
            try await mixer.setFollowUp(.nothing, on: main)
        }
        _ = try await mixer.advance(frames: limit, untilIdle: main)
    }
}
