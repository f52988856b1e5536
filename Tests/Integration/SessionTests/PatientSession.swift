import Descant

/// The session of a sound server, which on a busy machine may answer later than a program waits: it is asked again.
final class PatientSession: AudioSessionPort {
    private let session: PulseAudioSession

    /// - Parameter server: The address of the server.
    init(server: String) { session = PulseAudioSession(server: server) }

    var supportedOptions: AudioSessionOptions { session.supportedOptions }
    var situation: AudioSessionSnapshot { get async { await session.situation } }
    var sessionEvents: EventStream<AudioSessionEvent> { session.sessionEvents }

    func activate(_ configuration: AudioSessionConfiguration) async throws {
        for _ in 0..<4 {
            do {
                return try await session.activate(configuration)
            } catch let error as CoreError where error.message.contains("no answer within") {
                continue
            }
        }
        try await session.activate(configuration)
    }

    func deactivate() async { await session.deactivate() }
}
