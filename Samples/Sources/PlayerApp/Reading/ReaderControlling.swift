/// A reader of books aloud, as the application sees it. The integration layer implements it on the library's controller; tests
/// on a fake.
///
/// Methods may be called from any thread and return when the command was taken. What follows from it arrives in ``updates``.
public protocol ReaderControlling: Sendable {
    /// What happens; one reader. Ends after ``ReaderUpdate/finished``.
    var updates: AsyncStream<ReaderUpdate> { get }

    /// Pauses what is read and goes on with what is paused.
    ///
    /// - Throws: An error with its reason.
    func togglePause() async throws

    /// Moves in the text.
    ///
    /// - Parameters:
    ///   - step: By what.
    ///   - forward: Whether to what follows; backwards otherwise.
    /// - Throws: An error with its reason.
    func move(by step: ReaderStep, forward: Bool) async throws

    /// Sets the speed.
    ///
    /// - Parameter rate: 1 is normal.
    /// - Throws: An error with its reason.
    func setRate(_ rate: Double) async throws

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    func setVolume(_ volume: Double) async

    /// Goes on with the next engine, at the present word.
    ///
    /// - Throws: An error with its reason; also when there is no other engine.
    func useNextEngine() async throws

    /// Goes on with the next voice of the engine, at the present word.
    ///
    /// - Throws: An error with its reason; also when the engine has one voice only.
    func useNextVoice() async throws

    /// Stops, keeps the place and releases the device; the updates end.
    func stop() async
}
