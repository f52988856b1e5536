internal import Descant
internal import Foundation

/// Two tones with an equal-power crossfade, into a file of float samples.
struct CrossfadeBench {
    /// The tones and the crossfade between them, in Hz and seconds.
    static let pitches = [440.0, 1_000]
    static let seconds = 5.0
    static let crossfade = 4.0
    static let format = PCMFormat(sampleRate: 48_000, channels: 2)

    static func tone(_ pitch: Double) -> BenchTones { BenchTones(format: format, [(pitch, seconds)]) }

    private let output: URL

    init(_ arguments: inout Arguments) throws { output = try arguments.file() }

    func run() async throws {
        let engine = try AudioEnvironment.shared.makeEngine(output: .raw(output, .f32), format: Self.format)
        let layer = engine.mainLayer
        let first = try await engine.openDeck(.pcm(Self.tone(Self.pitches[0])), gain: 1, isClip: false)
        let second = try await engine.openDeck(.pcm(Self.tone(Self.pitches[1])), gain: 1, isClip: false)
        try await engine.play(first.id, on: layer, entry: .cut, loop: nil)
        try await engine.setFollowUp(
            .deck(second.id, .crossfade(Self.crossfade, curve: .equalPower)), on: layer)
        let length = Self.format.frames(in: 2 * Self.seconds - Self.crossfade)
        let events = engine.mixEvents
        async let rendered = engine.advance(frames: length, untilIdle: nil)
        // The render waits for what follows each deck.
        for await event in events {
            guard case .crossfadeStarted = event.kind else { continue }
            try await engine.setFollowUp(.nothing, on: layer)
            break
        }
        _ = try await rendered
        try await engine.finishOutput()
        await engine.shutdown()
    }

    /// The largest difference between the samples of a file and the ideal crossfade, relative to full scale: the outgoing tone times
    /// the cosine, the incoming one times the sine of a quarter of a period.
    static func error(of file: URL) throws -> Double {
        let samples = try Data(contentsOf: file).withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        let (length, overlap) = (Int(format.frames(in: seconds)), Int(format.frames(in: crossfade)))
        guard samples.count == (2 * length - overlap) * format.channels else {
            throw BenchError.failed("the crossfade has \(samples.count / format.channels) frames")
        }
        let tones = try pitches.map { pitch in
            var memory = [Float](repeating: 0, count: length * format.channels)
            _ = try memory.withUnsafeMutableBufferPointer { buffer in
                try buffer.baseAddress.map { try tone(pitch).read(into: $0, maxFrames: length) }
            }
            return memory
        }
        var largest = 0.0
        for frame in 0..<2 * length - overlap {
            let progress = min(1, max(0, Double(frame - (length - overlap)) / Double(overlap)))
            let outgoing = frame < length ? Double(tones[0][frame * format.channels]) : 0
            let start = length - overlap
            let incoming = frame >= start ? Double(tones[1][(frame - start) * format.channels]) : 0
            let ideal = outgoing * cos(progress * .pi / 2) + incoming * sin(progress * .pi / 2)
            largest = max(largest, abs(Double(samples[frame * format.channels]) - ideal))
        }
        return largest
    }

    /// Writes a tone as float samples, for another program.
    static func write(_ pitch: Double, to file: URL) throws {
        let frames = Int(format.frames(in: seconds))
        var memory = [Float](repeating: 0, count: frames * format.channels)
        _ = try memory.withUnsafeMutableBufferPointer { buffer in
            try buffer.baseAddress.map { try tone(pitch).read(into: $0, maxFrames: frames) }
        }
        try memory.withUnsafeBytes { Data($0) }.write(to: file)
    }
}
