/// Turns text into PCM with marks.
///
/// Queueing, segmentation, caching and playback are not its business: the speech engine does those for every synthesizer.
/// It makes no more than ``SpeechCapabilities/concurrency`` requests at a time, each of about
/// ``SpeechCapabilities/longestRequest`` characters; a host that uses a synthesizer by itself may pass any text, so
/// every input has to be survived.
public protocol SpeechSynthesizer: AnyObject, Sendable {
    /// What the synthesizer can do.
    var capabilities: SpeechCapabilities { get }

    /// The voices that can be used right now, the default one first.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when the voices cannot be listed.
    func voices() async throws -> [SpeechVoice]

    /// Loads what a request needs (a library, a model, a process), so that its sound comes soon. Never required: a request
    /// does the same by itself. Harmless when repeated.
    ///
    /// - Parameter request: A request with the voice and language that will be used; its text does not matter.
    /// - Throws: ``CoreError/notFound(_:)`` for an unknown voice, ``CoreError/unsupported(_:)`` for a language that no voice
    ///   speaks, ``CoreError/ioError(underlying:)`` when something cannot be loaded.
    func prepare(_ request: SpeechRequest) async throws

    /// Speaks a request.
    ///
    /// The stream ends when all sound was delivered. Text without anything to speak gives no samples and is no error; what
    /// is left out is told by ``SpeechChunk/warnings``. Rates and pitches outside the range are brought into it.
    /// Ending the iteration, or the task that iterates, cancels the work; nothing of it is heard of later.
    ///
    /// The stream throws ``CoreError/notFound(_:)`` for an unknown voice, ``CoreError/unsupported(_:)`` for a
    /// language that no voice speaks, ``CoreError/ioError(underlying:)`` when the synthesis broke down (the next
    /// request may succeed), ``CoreError/invalidState(_:)`` after ``shutdown()``.
    ///
    /// - Parameter request: What to speak and how.
    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error>

    /// Cancels what is being made, waits until no code of the synthesis runs any more, and releases models and processes.
    /// Harmless when repeated.
    func shutdown() async
}

extension SpeechSynthesizer {
    /// Loads nothing: the first request does.
    ///
    /// - Parameter request: A request with the voice and language that will be used.
    public func prepare(_ request: SpeechRequest) async throws {}

    /// Releases nothing.
    public func shutdown() async {}
}
