internal import Descant
internal import Foundation

/// The room of a WAVE file, which counts its bytes with 32 bits.
struct WaveRoom {
    /// The seconds of sound that it holds.
    let seconds: TimeInterval

    /// - Parameters:
    ///   - encoding: How samples are written.
    ///   - format: Sample rate and channels.
    init(_ encoding: SampleEncoding, _ format: PCMFormat) {
        let bytes =
            switch encoding {
            case .f32: 4
            case .s24: 3
            case .s16: 2
            }
        seconds = Double(UInt32.max) / Double(bytes * format.channels * format.sampleRate)
    }

    /// A length in hours, for a person.
    static func hours(_ seconds: TimeInterval) -> String { String(format: "%.1f hours", seconds / 3_600) }
}
