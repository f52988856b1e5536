/// A socket or loudspeaker of a sink, of which one is in use at a time.
struct ServerPort: Hashable, Sendable {
    /// Its name among programs, such as `analog-output-headphones`.
    var name: String
    /// Its name for people.
    var label: String
    /// Whether something is plugged in; `true` too where that cannot be told.
    var isAvailable: Bool
}
