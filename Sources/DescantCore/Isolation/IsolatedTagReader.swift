internal import CDescant
package import Foundation
internal import Glibc

/// A tag reader that runs in a helper process.
package final class IsolatedTagReader: TagReaderPort, Sendable {
    private let pool: HelperPool
    private let identifier: String

    init(_ pool: HelperPool, identifier: String) {
        self.pool = pool
        self.identifier = identifier
    }

    /// Reads every tag that the reader in the helper understands.
    ///
    /// - Throws: What the reader throws; ``CoreError/ioError(underlying:)`` when the helper crashed or took too long; ``PluginError`` for a
    ///   bundle that cannot be loaded.
    package func read(url: URL) throws -> TagBundle {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(url.withoutSecrets.absoluteString): only files have tags here")
        }
        let file = try IsolatedFile(url)
        let memory = descant_shared_memory(IsolatedTags.maximumLength)
        guard memory >= 0 else { throw CoreError.ioError("no memory for the tags of \(file.name)") }
        defer { close(memory) }
        let helper = try pool.acquire()
        defer {
            pool.release(helper)
            pool.prepare()
        }
        let activity = "while reading the tags of \(file.name)"
        let request = try HelperMessage(.tags, HelperMessage.OpenRequest(decoder: identifier, path: file.path))
        let answer = try file.withDescriptors {
            try helper.exchange(request, descriptors: $0 + [memory], limit: pool.limits.open, activity)
        }
        guard (0...Int64(IsolatedTags.maximumLength)).contains(answer.first) else { throw helper.misbehaved(activity) }
        // The helper can still write to the memory; a copy cannot change.
        var data = Data(count: Int(answer.first))
        let count = data.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, 0) }
        guard count == data.count, let sent = IsolatedTags(bytes: data) else { throw helper.misbehaved(activity) }
        return sent.tags
    }
}
