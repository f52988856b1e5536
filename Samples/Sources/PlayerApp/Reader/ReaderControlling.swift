public import Foundation

/// A reader of books aloud, as the application sees it. The integration layer implements it on the library's controller; tests
/// on a fake.
///
/// Methods may be called from any thread and return when the command was accepted. Its effects arrive in ``updates``.
public protocol ReaderControlling: Sendable {
    /// The changes of the reader, for one reader of the stream. Ends after ``ReaderUpdate/finished``.
    var updates: AsyncStream<ReaderUpdate> { get }

    /// Loads the voice and begins to read. Call it once, before other commands.
    ///
    /// - Throws: An error with its reason; `CancellationError` when the reader was stopped meanwhile.
    func start() async throws

    /// Pauses or resumes the reading; a book that was read to its end begins again.
    ///
    /// - Throws: An error with its reason.
    func togglePause() async throws

    /// Pauses the reading; harmless when nothing is read.
    func pause() async

    /// Moves in the text.
    ///
    /// - Parameters:
    ///   - step: The unit.
    ///   - forward: Whether forward; backward otherwise.
    /// - Throws: An error with its reason.
    func move(by step: ReaderStep, forward: Bool) async throws

    /// Moves to a place.
    ///
    /// - Parameter place: The place, in UTF-8 bytes of the text; clamped to the text.
    /// - Throws: An error with its reason.
    func go(to place: Int) async throws

    /// Sets the speed.
    ///
    /// - Parameter rate: 1 is normal.
    /// - Throws: An error with its reason.
    func setRate(_ rate: Double) async throws

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    func setVolume(_ volume: Double) async

    /// Continues with the next engine, at the present word.
    ///
    /// - Throws: An error with its reason; also when there is no other engine.
    func useNextEngine() async throws

    /// Continues with an engine, at the present word.
    ///
    /// - Parameter name: One of the names of ``ReaderUpdate/engines(_:)``.
    /// - Throws: An error with its reason; the present engine goes on then.
    func useEngine(_ name: String) async throws

    /// Continues with a voice of the present engine, at the present word.
    ///
    /// - Parameter identifier: An identifier of ``ReaderUpdate/voices(_:)``.
    /// - Throws: An error with its reason.
    func useVoice(_ identifier: String) async throws

    /// Continues with the next voice of the engine, at the present word.
    ///
    /// - Throws: An error with its reason; also when the engine has one voice only.
    func useNextVoice() async throws

    /// Stops, keeps the place and releases the device; the updates end.
    func stop() async
}

/// Something that changed in a reader.
public enum ReaderUpdate: Sendable, Equatable {
    /// The reader's activity.
    case activity(PlayerActivity)
    /// The place that is heard, or heard next, and the word if one sounds.
    case place(Int, word: Range<Int>?)
    /// Seconds at the normal speed from the beginning; the duration is `nil` while unknown.
    case time(TimeInterval, duration: TimeInterval?, isEstimated: Bool)
    /// The engine that reads.
    case voice(engine: String, voice: String?)
    /// The names of the engines that can be chosen.
    case engines([String])
    /// The voices of the engine that reads: those of the book's language, the engine's own choice first.
    case voices([ReaderVoice])
    /// The speed; 1 is normal.
    case rate(Double)
    /// The volume, 0…1.
    case volume(Double)
    /// A message to the user.
    case notice(Notice)
    /// The last update.
    case finished
}

/// A voice that can be chosen.
public struct ReaderVoice: Sendable, Hashable {
    /// The identifier.
    public let identifier: String
    /// The name for people.
    public let name: String

    /// Creates a voice.
    ///
    /// - Parameters:
    ///   - identifier: The identifier.
    ///   - name: The name for people.
    public init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// The unit by which the user moves in a book.
public enum ReaderStep: Sendable, Hashable {
    /// From sentence to sentence.
    case sentence
    /// From paragraph to paragraph.
    case paragraph
    /// From chapter to chapter.
    case chapter
}
