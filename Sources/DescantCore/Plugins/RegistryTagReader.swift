package import Foundation

/// Reads tags with whichever reader fits a file: those of the registry by score and priority, as decoders are chosen, and the built-in one
/// for what they leave.
///
/// A bundle is loaded only for a file that its manifest matches. The built-in reader comes before bundles with the same rank: a bundle gets
/// a format that the built-in reader declares only by a signature or a priority above 0.
package final class RegistryTagReader: TagReaderPort, Sendable {
    private let plugins: PluginRegistry
    private let builtIn: any TagReaderPort & Sendable
    private let identifier: String

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - plugins: The registry whose readers are asked.
    ///   - builtIn: The built-in reader, which gets every file that no other one reads.
    ///   - identifier: Its identifier in the registry.
    package init(_ plugins: PluginRegistry, builtIn: any TagReaderPort & Sendable, identifier: String) {
        self.plugins = plugins
        self.builtIn = builtIn
        self.identifier = identifier
    }

    /// Reads every tag that the best reader understands; when it fails, the next one is asked.
    ///
    /// - Parameter url: A file URL.
    /// - Throws: What the best reader throws, as ``CoreError`` that names the file.
    package func read(url: URL) throws -> TagBundle {
        let readers = plugins.registered(.tagReader)
        // Without other readers, a file is opened once.
        guard url.isFileURL, readers.contains(where: { $0.provision.identifier != identifier }),
            let input = (try? ProbedSource(url))?.input
        else { return try builtIn.read(url: url) }
        var firstError: CoreError?
        for reader in Self.ranked(readers, for: input).prefix(while: { $0.provision.identifier != identifier }) {
            do {
                return try plugins.readTags(of: url, with: reader)
            } catch {
                plugins.note(reader, error)
                firstError = firstError ?? Self.named(error, url)
            }
        }
        do { return try builtIn.read(url: url) } catch { throw firstError ?? error }
    }

    private static func ranked(_ readers: [RegisteredProvider], for input: ProbeInput) -> [RegisteredProvider] {
        let rated = readers.compactMap { reader in
            reader.provision.fileTypes.map { (score: $0.score(input), priority: $0.priority) }
                .max { $0 < $1 }.map { (reader: reader, rank: $0) }
        }
        // Swift's sort is stable, which keeps the order of registration among equals.
        return rated.filter { $0.rank.score > .none }.sorted { $0.rank > $1.rank }.map(\.reader)
    }

    private static func named(_ error: any Error, _ url: URL) -> CoreError {
        let known = error as? CoreError ?? .ioError("\(error)")
        return known.message.contains(url.path) ? known : known.withMessage("\(url.path): \(known.message)")
    }
}

extension PluginRegistry {
    /// Reads the tags of a file with a new reader of one provider, within the limits.
    fileprivate func readTags(of url: URL, with provider: RegisteredProvider) throws -> TagBundle {
        // Safe: no other reference exists, and this thread does not use it after the call has begun.
        nonisolated(unsafe) let reader = try makeTagReader(provider)
        return try limited(provider, "read tags", limits(of: provider).open) { try reader.read(url: url) }
    }
}
