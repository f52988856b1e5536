public import DescantCore

/// The engine as controllers and remote controls see it: sentence by sentence.
extension SpeechEngine: ReadingEngine {
    /// Tells where each sentence begins, in UTF-8 bytes of the whole text, when it begins to be heard.
    public nonisolated var sentenceUpdates: EventStream<Int> { hubs.sentences.stream(buffer: .bounded(64)) }

    /// The sentence that is heard, or is to be heard next; `nil` without a text and behind its last sentence.
    public var currentSentence: String? {
        get async {
            let offset = await utf8Offset
            return script.withScript { script in
                script.segment(at: offset).map {
                    script.string(script.sentenceRange(from: script.sentenceStart(of: $0)))
                }
            }
        }
    }
}
