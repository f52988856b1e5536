public import Foundation

/// A file that is written under a temporary name and renamed when it is complete.
public struct PendingFile: Sendable {
    /// The final name.
    public let target: URL
    /// The temporary name, in the same folder.
    public let partial: URL

    /// Chooses the temporary name; creates no file.
    ///
    /// - Parameter target: The final name.
    /// - Throws: ``InputError`` when nothing can be written there.
    public init(_ target: URL) throws {
        self.target = target
        let folder = target.deletingLastPathComponent()
        partial = folder.appendingPathComponent(
            ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder), isFolder.boolValue {
            throw InputError(description: "\(target.path) is a folder; name a file")
        }
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw InputError(description: "\(target.path) cannot be written: there is no folder \(folder.path)")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw InputError(description: "\(target.path) cannot be written: the folder is write-protected")
        }
    }

    /// Renames the file to its final name.
    ///
    /// - Throws: ``InputError``.
    public func keep() throws {
        guard rename(partial.path, target.path) == 0 else {
            throw InputError(description: "\(target.path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Removes the unfinished file.
    public func discard() {
        // The file may be missing.
        try? FileManager.default.removeItem(at: partial)
    }
}
