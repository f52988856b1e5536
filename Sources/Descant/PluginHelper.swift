internal import DescantCore
internal import DescantGStreamer
internal import DescantMixing
internal import DescantTagLib
internal import Foundation

/// The program `descant-plugin-host`, in which a host runs plugins apart from itself.
///
/// The program consists of one call of ``run(_:)``. Hosts start it; see ``PluginIsolation``.
public enum PluginHelper {
    /// Finds the program where hosts look for it: beside this executable, beside the library, and in `../libexec/descant` of either.
    ///
    /// - Returns: Its path.
    /// - Throws: `CoreError.unsupported` naming the places, and `PluginError.unsafePermissions` for one that others may change.
    public static func find() throws -> String { try HelperProgram.installed() }

    /// Serves the host that started this process, and ends with it.
    ///
    /// - Parameter arguments: The arguments of the process.
    public static func run(_ arguments: [String] = CommandLine.arguments) -> Never {
        HelperServer.run(arguments) {
            HelperServer.BuiltIn(
                prepare: { try GStreamerDecks.loadAllDecoders() },
                decoder: GStreamerDecoder(network: { NetworkAccess() }, logger: NoopLogger(), marksEstimates: true),
                tagReader: TagLibReader())
        }
    }
}

/// Finds titles and tags with a tag reader in a helper process.
struct IsolatedDescriber: TrackDescriber {
    let tags: any TagReaderPort & Sendable

    init(_ tags: any TagReaderPort & Sendable) { self.tags = tags }

    /// Title and tags of a file.
    ///
    /// - Throws: What the reader throws; `CoreError.unsupported` for what is not a file.
    func describe(_ source: AudioSource) async throws -> TrackInfo {
        guard case .url(let url) = source, url.isFileURL else {
            throw CoreError.unsupported("\(source.name): only files have tags here")
        }
        let found = try await withCheckedThrowingContinuation { continuation in
            DedicatedQueue.run("descant.tags.isolated") { [tags] in
                continuation.resume(with: Result { try tags.read(url: url) })
            }
        }
        let technical = found.technical
        return TrackInfo(
            title: found.title ?? url.deletingPathExtension().lastPathComponent, artist: found.artist,
            duration: technical?.duration ?? 0,
            format: AudioFormat(
                sampleRate: Double(technical?.sampleRate ?? 0), channelCount: technical?.channels ?? 0,
                bitDepth: technical?.bitDepth, codec: technical?.codec ?? ""),
            tags: found, replayGain: found.replayGain.isEmpty ? nil : found.replayGain)
    }
}
