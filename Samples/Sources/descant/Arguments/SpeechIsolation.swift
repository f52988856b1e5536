internal import ArgumentParser
internal import Descant

/// Where synthesizers run.
struct SpeechIsolation: ParsableArguments {
    @Flag(
        help: """
            For texts and voices that are not trusted: speak in processes that can read nothing but voices, and use no \
            network. A voice that crashes fails one sentence.
            """)
    var isolate = false

    private static let isolated = AudioEnvironment(plugins: PluginRegistry(isolation: .everything))

    /// The environment of this run.
    var environment: AudioEnvironment { isolate ? Self.isolated : .shared }
}
