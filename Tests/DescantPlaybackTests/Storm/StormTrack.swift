import DescantCore
import DescantTesting
import Foundation

/// A sound of known, different frames with soft edges, so that lost and repeated frames and cuts are found.
struct StormTrack {
    static let rate = 8_000
    /// The maximum step between two of its frames: in the raised cosine of the edges.
    static let steepest: Float = 0.014
    private static let edge = 40

    let url: URL
    /// Every frame that can be heard; a damaged file announces more.
    let samples: [Float]
    private let isDamaged: Bool

    init(_ number: Int, frames: Int, isDamaged: Bool = false) {
        url = URL(fileURLWithPath: "/storm/\(number).wav")
        self.isDamaged = isDamaged
        samples = (0..<frames).map { frame in
            let distance = Double(min(frame + 1, frames - frame, Self.edge))
            let envelope = 0.5 - 0.5 * cos(Double.pi * distance / Double(Self.edge))
            return Float(envelope * (0.08 + 0.03 * Double(number) + 1e-6 * Double(frame)))
        }
    }

    /// Tracks of many lengths, shorter than any fade and longer than the longest.
    static let all: [StormTrack] =
        [300, 1_600, 4_800, 8_000, 12_000, 16_000, 20_000, 24_000].enumerated().map {
            StormTrack($0, frames: $1, isDamaged: $0 == 3)
        }

    func register(in decks: MemoryDecks) {
        let format = PCMFormat(sampleRate: Self.rate, channels: 1)
        var fault = DeckFault()
        if isDamaged { fault.failure = (Int64(samples.count), .decodeError("bad frame")) }
        let tail = [Float](repeating: 0.5, count: isDamaged ? 4_000 : 0)
        decks.register(SampleBuffer(format: format, samples: samples + tail), for: url, fault: fault)
    }
}
