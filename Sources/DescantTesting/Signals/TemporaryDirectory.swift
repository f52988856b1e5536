public import Foundation
internal import DescantCore

/// A directory for one test's files; it is removed with its last reference.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// Creates an empty directory.
    ///
    /// - Parameter label: A part of the directory's name, to recognise a test's leftovers by.
    /// - Throws: `CoreError.ioError` naming the directory.
    public init(label: String = "descant") throws {
        // Symbolic links are resolved, because code that resolves paths reports the real ones.
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        url = parent.appendingPathComponent("\(label)-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw CoreError.ioError("cannot create \(url.path): \(error)")
        }
    }

    deinit {
        // A directory that cannot be removed does no harm, and deinit cannot report the error.
        try? FileManager.default.removeItem(at: url)
    }

    /// The URL of a file in the directory.
    ///
    /// - Parameter name: The file's name.
    public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - data: The file's content.
    ///   - name: The file's name.
    /// - Throws: `CoreError.ioError` naming the file.
    @discardableResult
    public func write(_ data: Data, to name: String) throws -> URL {
        let file = file(name)
        do { try data.write(to: file) } catch { throw CoreError.ioError("\(file.path): \(error)") }
        return file
    }
}
