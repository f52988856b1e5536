/// What is spoken, by peers too. Models of tones have words only that are in their lexicon.
enum SpeechTexts {
    private static let words = ["quick", "brown", "lazy", "quiet", "good", "long"]

    /// Ten words.
    static let sentence = "The quick brown fox jumps over one lazy brown dog."
    /// So many sentences are a page.
    static let pageLength = 30
    /// Three hundred words.
    static let page = Array(repeating: sentence, count: pageLength).joined(separator: " ")

    /// Ten words, others for every number, so that nothing of them was made before.
    static func sentence(_ number: Int) -> String {
        let (first, second) = (words[number % words.count], words[number / words.count % words.count])
        return "The \(first) brown fox jumps over one \(second) brown dog."
    }
}
