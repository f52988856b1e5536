internal import DescantCore

/// Sound that some program plays to a sound server.
struct ServerStream: Hashable, Sendable {
    /// The server's number for it.
    var index: UInt32
    /// The number of the sink that it plays to.
    var sink: UInt32
    /// Who plays it; `nil` when it does not say.
    var owner: ProcessName?
    /// The program's name for people.
    var application: String
    /// Its purpose in the desktop's words, such as `music` or `phone`; empty when it does not say.
    var role: String
    /// Whether its program has paused it.
    var isCorked: Bool
    /// Whether it is muted, by a person or by the server.
    var isMuted: Bool

    /// The stream as others see it.
    var foreign: ForeignStream {
        ForeignStream(identifier: index, application: application, role: AudioRole(rawValue: role))
    }
}
