internal import DescantCore

/// What a pipeline is to be built for.
struct SessionPlan: Sendable {
    var format: PCMFormat
    var destination: OutputDestination
    /// How many frames are rendered at a time, at most.
    var blockFrames: Int
    /// The frame on the output's timeline at which the pipeline begins.
    var epochFrame: Int64
    /// The name that a sound server shows for the stream.
    var applicationName: String

    /// Whether blocks are rendered by the clock, as late as possible. A device with a buffer of its own asks for them.
    var isPaced: Bool { !destination.isOffline && !destination.isDevice }
}
