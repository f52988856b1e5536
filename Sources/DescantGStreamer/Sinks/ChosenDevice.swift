/// The device that was chosen for a stream of a sound server.
///
/// PulseAudio and PipeWire bind no stream to the device that is their default: when the default changes, the stream
/// goes with it, although it has named the device. A stream on a device that is not the default stays there.
struct ChosenDevice: Sendable {
    /// `nil`: the stream goes with the server's default.
    let name: String?
    /// Whether the server takes the stream to its next default.
    private var followsDefault = false

    init(_ name: String?) { self.name = name }

    /// Compares the device of the stream with the server's default, after one of them has changed.
    ///
    /// - Returns: Whether the stream has gone with the default, away from the chosen device. One that a mixer program
    ///   has moved has not.
    mutating func isLeft(for present: String, default standard: String) -> Bool {
        guard let name else { return false }
        if present == name {
            // A server may tell a new default before it moves the stream, so another default changes nothing here.
            if standard == name { followsDefault = true }
            return false
        }
        defer { followsDefault = false }
        return followsDefault && present == standard
    }
}
