public import Foundation
internal import DescantCore

/// A directory for one test's files; it goes away with its last reference.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// Creates an empty directory.
    ///
    /// - Parameter label: A part of the directory's name, to recognise a test's leftovers by.
    /// - Throws: `CoreError.ioError` naming the directory.
    public init(label: String = "descant") throws {
        // Without symbolic links: what looks for real files reports their real names.
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        url = parent.appendingPathComponent("\(label)-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw CoreError.ioError("cannot create \(url.path): \(error)")
        }
    }

    deinit {
        // A leftover in the system's temporary directory harms nobody, and deinit has nobody to tell.
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
