internal import Descant
internal import Foundation

/// A player that renders into a file or discards the samples, as fast as possible.
struct OfflinePlayer {
    let engine: any MixingEngine
    let player: AudioPlayerService

    /// - Parameter url: A file for raw 16 bit samples; `nil` also converts to 16 bits, and discards them.
    init(writingTo url: URL?, sampleRate: Int) throws {
        let format = PCMFormat(sampleRate: sampleRate, channels: 2)
        let file = url ?? URL(fileURLWithPath: "/dev/null")
        engine = try AudioEnvironment.shared.makeEngine(output: .raw(file, .s16), format: format)
        player = AudioPlayerService(engine: engine)
    }

    /// Renders to the end of the main layer and completes the file.
    ///
    /// - Returns: Frames rendered.
    func renderToEnd() async throws -> Int64 {
        let slice = Int64(engine.mixFormat.sampleRate) * 600
        var rendered: Int64 = 0
        while true {
            let got = try await engine.advance(frames: slice, untilIdle: engine.mainLayer)
            rendered += got
            if got < slice { break }
        }
        try await engine.finishOutput()
        await engine.shutdown()
        return rendered
    }
}
