/// The time limits of calls into a plugin, and the maximum duration of a decoder's sound without an announced length.
///
/// A call that exceeds its limit is abandoned: ``MixEvent/Kind-swift.enum/pluginOverdue(plugin:operation:seconds:)`` names the
/// plugin and the operation, the file is skipped, and the bundle is in ``PluginRegistry/unavailable`` until the program is
/// started again. The thread of the call cannot be ended and stays.
public struct CallLimits: Sendable, Hashable {
    /// Loading the library, with its C constructors and the plugin's initialiser, in seconds.
    ///
    /// The check of the bundle's files before it is not counted.
    public var load = 10.0
    /// Making one decoder, engine, synthesizer, output, tag reader or tag writer, in seconds.
    public var make = 10.0
    /// Scoring one file (``DecoderProbe``), in seconds.
    public var score = 5.0
    /// Opening one file, or reading its tags, in seconds.
    public var open = 10.0
    /// One read, in seconds.
    public var read = 5.0
    /// One seek, in seconds, and a second more for each 25 s up to its target: some formats are decoded from the start.
    public var seek = 5.0
    /// Closing one file, in seconds.
    public var close = 5.0
    /// Listing the voices of a synthesizer in a helper, or loading one of them, in seconds.
    public var voice = 30.0
    /// The next piece of sound from a synthesizer in a helper, in seconds; in this process the speech engine has its own limit.
    public var speech = 20.0
    /// The maximum duration of a decoder's sound without an announced length, in seconds; 24 hours by default.
    public var unannouncedDuration = 86_400.0

    /// The standard limits.
    public init() {}

    /// The limit of a seek to a position, in seconds.
    ///
    /// - Parameter position: The target, in seconds from the beginning.
    package func seekLimit(to position: Double) -> Double { seek + (position.isFinite ? max(0, position) / 25 : 0) }
}
