internal import Descant
public import Foundation
internal import Synchronization

/// A file that gets its name when it is complete: until then what had the name stays.
public struct PendingFile: Sendable {
    /// The files that are neither complete nor removed.
    private static let unfinished = Mutex<Set<URL>>([])

    /// The name that it will have.
    public let target: URL
    /// Where it is written, in the folder of the file that is replaced.
    public let partial: URL
    /// The file that is replaced: that of a link, if the name is one.
    private let destination: URL

    /// Chooses where it is written; creates nothing.
    ///
    /// - Parameters:
    ///   - target: The name that it will have.
    ///   - followsLinks: Whether a name that is a link stays one, and the file that it names is replaced. A link in a folder that others may
    ///     write to is not to be followed.
    /// - Throws: ``InputError`` when nothing can be written there.
    public init(_ target: URL, followsLinks: Bool = true) throws {
        self.target = target
        destination = followsLinks ? target.resolvingSymlinksInPath() : target
        let folder = destination.deletingLastPathComponent()
        partial = folder.appendingPathComponent(
            ".\(destination.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder), isFolder.boolValue {
            throw InputError(description: "\(target.path) is a folder; name a file")
        }
        // Its reader would wait for ever behind a name that is another file's.
        var status = stat()
        guard stat(destination.path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw InputError(description: "\(target.path) is a pipe or a device; name a file")
        }
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw InputError(description: "\(target.path) cannot be written: there is no folder \(folder.path)")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw InputError(description: "\(target.path) cannot be written: the folder is write-protected")
        }
        guard access(destination.path, F_OK) != 0 || access(destination.path, W_OK) == 0 else {
            throw InputError(description: "\(target.path) cannot be written: the file is write-protected")
        }
        _ = Self.unfinished.withLock { [partial] in $0.insert(partial) }
    }

    /// Removes every unfinished file, because the process ends without an orderly end.
    public static func discardAll() {
        for file in unfinished.withLock({ $0 }) { unlink(file.path) }
    }

    /// Gives the file its name.
    ///
    /// - Throws: ``InputError``.
    public func keep() throws {
        // Who may read the file stays as it was.
        var status = stat()
        if stat(destination.path, &status) == 0 { chmod(partial.path, status.st_mode & 0o7777) }
        guard rename(partial.path, destination.path) == 0 else {
            throw InputError(description: "\(target.path) cannot be written: \(String(cString: strerror(errno)))")
        }
        forget()
    }

    /// Removes the unfinished file.
    public func discard() {
        // The file may be missing.
        try? FileManager.default.removeItem(at: partial)
        forget()
    }

    /// Names the file in an error as the person does who waits for it, not as it is called until then.
    ///
    /// - Parameter error: An error of writing it; others stay as they are.
    public func named(_ error: any Error) -> any Error {
        guard let error = error as? CoreError, case .ioError = error else { return error }
        return CoreError.ioError(error.message.replacing(partial.path, with: target.path))
    }

    private func forget() { _ = Self.unfinished.withLock { $0.remove(partial) } }
}
