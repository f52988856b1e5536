internal import DescantCore
internal import Foundation

/// A decoder that could not open a source.
struct DecoderAttempt {
    let decoder: String
    let error: any Error

    private var words: String { "\(decoder): \(message)" }
    private var message: String { (error as? CoreError)?.message ?? "\(error)" }

    /// A continuation for the reason of the decoder that could; empty when it was the first.
    static func summary(_ failures: [DecoderAttempt]) -> String {
        failures.isEmpty ? "" : "; tried before it: " + failures.map(\.words).joined(separator: "; ")
    }

    /// One error for a source that none could open, of the last one's kind: it knows the most formats.
    static func refusal(of url: URL, _ failures: [DecoderAttempt]) -> CoreError {
        let name = AudioSource.url(url).name
        var text = "\(name): no decoder could open it; " + failures.map(\.words).joined(separator: "; ")
        if failures.count == 1, failures[0].message.hasPrefix(name) { text = failures[0].message }
        guard let last = failures.last?.error as? CoreError else { return .unsupported(text) }
        return PlacedError.with(text, likeness: last)
    }
}
