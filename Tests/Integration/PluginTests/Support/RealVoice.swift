import Descant

/// The synthesizers of the first-party bundles.
enum RealVoice: String, CaseIterable, Sendable {
    case espeak, flite, sherpa

    var bundle: String {
        switch self {
        case .espeak: "EspeakSpeech"
        case .flite: "FliteSpeech"
        case .sherpa: "SherpaSpeech"
        }
    }

    var sampleRate: Int { self == .espeak ? 22_050 : 16_000 }

    /// Whether marks are measured.
    var hasExactMarks: Bool { self != .sherpa }

    /// Words that all of them know.
    static let words = ["apple", "river", "stone", "garden", "paper", "window", "theory"]

    /// Different sentences of words that all of them know.
    static func sentences(_ count: Int) -> [String] {
        (0..<count).map { number in
            let (first, second) = (words[number % 7], words[number / 7 % 7])
            return "\(first.capitalized) \(second) and the \(words[(number + 3) % 7])."
        }
    }
}
