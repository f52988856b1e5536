import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Synchronization

/// Copies the first channel to as many as are wanted.
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

/// Takes every second frame for double speed: not for listening, but exact.
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

/// A chain over decoders in memory, with what it needs around it.
struct ChainFixture {
    let chain: DeckProviderChain
    let fallback = MemoryDecks()
    let news = DeckEventLog()
    let retired = RetirementLog()
    let url = URL(fileURLWithPath: "/music/ramp.mem")

    init(
        _ decoders: [(String, any DecoderPort & Sendable)], limits: CallLimits = CallLimits(),
        recognised: Set<String> = [], describer: (any TrackDescriber)? = nil, descriptionGrace: Double = 60
    ) {
        let choices = decoders.map { [retired] name, decoder in
            DecoderChoice(
                identifier: name, plugin: "org.example.\(name)", reason: "\(name) was first",
                recognisesContent: recognised.contains(name)
            ) {
                decoder
            } retire: { operation, _ in
                retired.add("\(name) \(operation)")
            }
        }
        chain = DeckProviderChain(
            chooser: Choices(list: choices), fallback: fallback, describer: describer,
            converters: SpreadingConverters(), tempo: SkippingTempo(), limits: limits,
            descriptionGrace: descriptionGrace)
    }

    struct Choices: DecoderChooser {
        let list: [DecoderChoice]
        func choices(
            for url: URL, overdue: @Sendable (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
        ) throws -> [DecoderChoice] { list }
    }

    func open(_ source: AudioSource? = nil, channels: Int = 2) async throws -> OpenedDeck {
        try await chain.open(source ?? .url(url), mix: PCMFormat(sampleRate: 48_000, channels: channels)) { [news] in
            news.add($0)
        }
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

/// Keeps which decoders are not to be asked again.
final class RetirementLog: Sendable {
    private let items = Mutex<[String]>([])

    func add(_ item: String) { items.withLock { $0.append(item) } }

    var all: [String] { items.withLock { $0 } }
}

/// Keeps the news of decks.
final class DeckEventLog: Sendable {
    private let items = Mutex<[DeckEvent]>([])
    private let signal = AsyncStream<DeckEvent>.makeStream()

    func add(_ item: DeckEvent) {
        items.withLock { $0.append(item) }
        signal.continuation.yield(item)
    }

    var all: [DeckEvent] { items.withLock { $0 } }

    /// Waits for the next news.
    func next() async -> DeckEvent? {
        for await item in signal.stream { return item }
        return nil
    }
}
