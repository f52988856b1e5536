import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Copies the first channel to every output channel.
struct SpreadingConverters: SampleConverterFactory {
    final class Spreading: SampleConverter {
        let latency = 0
        private let input: Int
        private let output: Int

        init(_ input: Int, _ output: Int) {
            self.input = input
            self.output = output
        }

        func convert(_ source: UnsafePointer<Float>?, frames: Int, appendingTo output: inout [Float]) {
            for frame in 0..<frames {
                let value = source.map { $0[frame * input] } ?? 0
                output.append(contentsOf: repeatElement(value, count: self.output))
            }
        }

        func reset() {}
    }

    func makeConverter(from input: PCMFormat, to output: PCMFormat) throws -> any SampleConverter {
        Spreading(input.channels, output.channels)
    }
}

/// Keeps one frame of `rate`, so that results are exact.
struct SkippingTempo: TempoChangerFactory {
    final class Skipping: TempoChanger {
        private let channels: Int
        private let step: Int
        private var phase = 0

        init(_ channels: Int, _ step: Int) {
            self.channels = channels
            self.step = step
        }

        func stretch(_ input: UnsafePointer<Float>, frames: Int, appendingTo output: inout [Float]) {
            for frame in 0..<frames {
                if phase == 0 { for channel in 0..<channels { output.append(input[frame * channels + channel]) } }
                phase = (phase + 1) % step
            }
        }

        func drain(appendingTo output: inout [Float]) {}
    }

    func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
        Skipping(format.channels, Int(rate))
    }
}

/// A chain over decoders in memory.
struct ChainFixture {
    /// A file that exists, so that the registry offers decoders for it.
    static let file: URL = {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-chain-\(getpid())")
        let file = folder.appendingPathComponent("ramp.mem")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? Data("ramp".utf8).write(to: file)
        return file
    }()

    let chain: DeckProviderChain
    let fallback = MemoryDecks()
    let events = EventRecorder<DeckEvent>()
    let url = ChainFixture.file

    init(
        _ decoders: [(String, any DecoderPort & Sendable)], limits: CallLimits = CallLimits(),
        recognised: Set<String> = [], describer: (any TrackDescriber)? = nil, descriptionLimit: Double = 60,
        searchPath: [URL] = [], licenses: LicensePolicy = .any
    ) {
        let plugins = PluginRegistry(searchPath: searchPath, licenses: licenses, limits: limits)
        plugins.scan()
        for (name, decoder) in decoders {
            let score: ProbeScore = recognised.contains(name) ? .content : .fileExtension
            plugins.register(
                .decoder(name, extensions: ["mem"]) { ScoredDecoder(decoder, score: score) })
        }
        chain = DeckProviderChain(
            plugins: plugins, fallback: fallback, describer: describer, converters: SpreadingConverters(),
            tempo: SkippingTempo(), descriptionLimit: descriptionLimit)
    }

    func open(_ source: AudioSource? = nil, channels: Int = 2) async throws -> OpenedDeck {
        try await chain.open(source ?? .url(url), mix: PCMFormat(sampleRate: 48_000, channels: channels)) { [events] in
            events.record($0)
        }
    }
}

/// A decoder that gives every file the same score.
private final class ScoredDecoder: DecoderPort, DecoderProbe {
    private let decoder: any DecoderPort
    private let score: ProbeScore

    init(_ decoder: any DecoderPort, score: ProbeScore) {
        self.decoder = decoder
        self.score = score
    }

    func score(_ input: ProbeInput) -> ProbeScore { score }
    func open(url: URL) throws -> DecodeHandle { try decoder.open(url: url) }
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try decoder.seek(handle, toSeconds: seconds)
    }
    func info(_ handle: DecodeHandle) throws -> StreamInfo { try decoder.info(handle) }
    func close(_ handle: DecodeHandle) { decoder.close(handle) }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try decoder.read(handle, into: buffer, maxFrames: maxFrames)
    }
}

extension CallLimits {
    /// The standard limits with changes.
    static func with(_ change: (inout CallLimits) -> Void) -> CallLimits {
        var limits = CallLimits()
        change(&limits)
        return limits
    }
}

/// Reads decks the way an offline render does.
enum Drain {
    struct Outcome {
        var samples: SampleBuffer
        var firstPosition: Int64
        var failure: CoreError?
    }

    static func read(_ deck: any Deck, channels: Int, atMost limit: Int = .max, block: Int = 480) throws -> Outcome {
        var samples: [Float] = []
        var memory = [Float](repeating: .nan, count: block * channels)
        var first: Int64?
        var failure: CoreError?
        reading: while samples.count / channels < limit {
            let wanted = min(block, limit - samples.count / channels)
            let read = try #require(
                memory.withUnsafeMutableBufferPointer { memory in
                    memory.baseAddress.map { deck.read(into: $0, frames: wanted) }
                })
            first = first ?? (read.frames > 0 ? read.position : nil)
            samples.append(contentsOf: memory[0..<read.frames * channels])
            switch read.condition {
            case .complete: continue
            case .starved:
                let deadline = MonotonicClock().now() + 30_000_000_000
                try #require(deck.waitUntilReadable(deadline: deadline), "the deck gave nothing for 30 s")
            case .ended: break reading
            case .truncated(let error), .failed(let error):
                failure = error
                break reading
            }
        }
        let format = PCMFormat(sampleRate: deck.sampleRate, channels: channels)
        return Outcome(
            samples: SampleBuffer(format: format, samples: samples), firstPosition: first ?? -1, failure: failure)
    }
}
