/// Why a pipeline gives nothing more.
enum DeckFailure: Sendable {
    /// An element of GStreamer reported an error.
    case stream(StreamFailure)
    /// The host's bytes could not be read.
    case source(any Error)
    /// The stream is not played, for a reason in words that follow the source's name.
    case refused(String)
}
