/// One thing that a sound server tells of itself.
enum ServerChange: Sendable {
    /// The names of the sink and of the source that programs get without a wish of their own.
    case defaults(sink: String?, source: String?)
    /// A sink is there, or is different from before.
    case sink(ServerSink)
    case sinkRemoved(UInt32)
    /// A stream is there, or is different from before.
    case stream(ServerStream)
    case streamRemoved(UInt32)
}
