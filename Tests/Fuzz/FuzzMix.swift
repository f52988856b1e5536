import DescantCore
import DescantMixing
import Dispatch
import Foundation

/// Plays a file through the whole chain: GStreamer's decoders, the decks, the mixer, an output without a device. The last bytes decide what is
/// done with it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 8 else { return 0 }
    let file = Data(bytes: data, count: size)
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
        // Errors are what a damaged file is to end in.
        try? await play(file, commands: Array(file.suffix(4)))
        ended.signal()
    }
    ended.wait()
    return 0
}

private func play(_ file: Data, commands: [UInt8]) async throws {
    let format = PCMFormat(sampleRate: 48_000, channels: 2)
    let output = try GStreamerMixOutput(format: format, destination: .discard)
    let mixer = Mixer(
        decks: GStreamerDecks(), output: output, converters: GstSampleConverterFactory(), identifier: "fuzz")
    do {
        try await play(.data(file, name: "fuzz"), on: mixer, commands: commands)
    } catch {
        await mixer.shutdown()
        throw error
    }
    await mixer.shutdown()
}

private func play(_ source: AudioSource, on mixer: Mixer, commands: [UInt8]) async throws {
    let main = mixer.mainLayer
    let deck = try await mixer.openDeck(source, gain: 1, isClip: false)
    try await mixer.play(deck.id, on: main, entry: .cut, loop: nil)
    try await mixer.setFollowUp(.nothing, on: main)
    for command in commands {
        _ = try await mixer.advance(frames: 2_400, untilIdle: main)
        let value = Double(command >> 3) / 31
        switch command & 7 {
        case 0: try await mixer.seek(main, to: value * 0.2, fade: 0.01)
        case 1: try await mixer.seek(main, to: value * 1e6, fade: 0)
        case 2: try await mixer.setRate(0.5 + 2 * value, of: main)
        case 3:
            await mixer.pause(main, ramp: 0)
            try await mixer.resume(main, ramp: 0.01)
        case 4:
            let next = try await mixer.openDeck(source, gain: value, isClip: false)
            try await mixer.play(next.id, on: main, entry: .crossfade(0.05, curve: .linear), loop: nil)
            // Offline the mix waits until it is told what follows.
            try await mixer.setFollowUp(.nothing, on: main)
        case 5:
            let clip = try await mixer.openDeck(source, gain: 1, isClip: true)
            let overlay = await mixer.addLayer(.overlay)
            try await mixer.play(clip.id, on: overlay, entry: .cut, loop: nil)
        default: break
        }
    }
    _ = try await mixer.advance(frames: 48_000, untilIdle: main)
}
