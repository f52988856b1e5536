/// An engine that reads a text sentence by sentence: one that speaks.
///
/// A controller asks for it by a cast, `engine as? any ReadingEngine`, and gives remote controls its sentences: the present one as
/// title, the others as next and previous. Threads are as for ``MediaEngine``.
public protocol ReadingEngine: MediaEngine {
    /// Tells where each sentence begins, in UTF-8 bytes of the text, when it begins to be heard.
    var sentenceUpdates: EventStream<Int> { get }

    /// The sentence that is heard, or is to be heard next; `nil` without a text and behind its last sentence.
    var currentSentence: String? { get async }

    /// Moves to the next sentence; behind the last one the text is finished.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when nothing is loaded, or what goes wrong in the voice.
    func nextSentence() async throws

    /// Moves to the beginning of the sentence, or to the one before when it has only just begun.
    ///
    /// - Throws: As ``nextSentence()``.
    func previousSentence() async throws
}
