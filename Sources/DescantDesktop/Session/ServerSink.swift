/// A device of a sound server that plays.
struct ServerSink: Hashable, Sendable {
    /// The server's number for it, never used twice in a server's life.
    var index: UInt32
    /// Its name among programs, such as `alsa_output.pci-0000_00_1f.3.analog-stereo`.
    var name: String
    /// Its name for people.
    var label: String
    /// Where its sound comes out, such as `analog-output-headphones`; `nil` when it has no ports.
    var port: String?
}
