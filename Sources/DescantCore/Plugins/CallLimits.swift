/// How long calls into a plugin may take, and how much sound a decoder may deliver that announces no length.
///
/// A call that exceeds its limit is given up: ``MixEvent/Kind-swift.enum/pluginOverdue(plugin:operation:seconds:)`` names the
/// plugin and the operation, the file is passed over, and the bundle is in ``PluginRegistry/unavailable`` until the program is
/// started again. The thread of the call cannot be ended and stays.
public struct CallLimits: Sendable, Hashable {
    /// Loading the library, with its C constructors and the plugin's initialiser, in seconds.
    ///
    /// The check of the bundle's files before it is not counted.
    public var load = 10.0
    /// Making one decoder, engine, synthesizer, output, tag reader or tag writer, in seconds.
    public var make = 10.0
    /// Judging one file (``DecoderProbe``), in seconds.
    public var score = 5.0
    /// Opening one file, in seconds.
    public var open = 10.0
    /// One read, in seconds.
    public var read = 5.0
    /// One seek, in seconds.
    public var seek = 5.0
    /// Closing one file, in seconds.
    public var close = 5.0
    /// How much sound is taken of a decoder that announces no length, in seconds; 24 hours.
    public var unannouncedDuration = 86_400.0

    /// The standard limits.
    public init() {}
}
