internal import Foundation
internal import Glibc

/// Checks that nobody but root and the present user could have put code into a place, or could change it.
enum TrustedPath {
    /// Checks a folder: its owner, and that not everybody may write to it.
    ///
    /// - Parameters:
    ///   - path: The folder; symbolic links are followed.
    ///   - isContainer: Whether it only holds bundles: then a sticky folder such as `/tmp` will do, in which nobody
    ///     can replace what belongs to somebody else.
    /// - Throws: ``PluginError``.
    static func checkFolder(_ path: String, isContainer: Bool) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw PluginError.badManifest(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PluginError.badManifest(path: path, reason: "it is not a folder")
        }
        if isContainer, status.st_mode & S_ISVTX != 0 { return }
        try checkOwnerAndMode(path, status, user: geteuid())
    }

    /// Checks a file inside a checked folder: a regular file, its owner, and that not everybody may write to it.
    ///
    /// - Parameters:
    ///   - path: The file. A symbolic link is refused, since it leads out of what was checked.
    ///   - user: Who may own it besides root.
    /// - Throws: ``PluginError``.
    static func checkFile(_ path: String, user: uid_t = geteuid()) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw PluginError.badLibrary(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PluginError.unsafePermissions(path: path, reason: "it is not a regular file")
        }
        try checkOwnerAndMode(path, status, user: user)
    }

    private static func checkOwnerAndMode(_ path: String, _ status: stat, user: uid_t) throws {
        if status.st_mode & S_IWOTH != 0 {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw PluginError.unsafePermissions(path: path, reason: "everybody may write to it (mode \(mode))")
        }
        if status.st_uid != 0, status.st_uid != user {
            let reason = "it belongs to user \(status.st_uid), neither root nor the present user (\(user))"
            throw PluginError.unsafePermissions(path: path, reason: reason)
        }
    }

    /// Reads a whole file, up to a limit.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The greatest length in bytes.
    /// - Throws: ``PluginError/badLibrary(path:reason:)``.
    static func read(_ path: String, limit: Int) throws -> Data {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            data = try file.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw PluginError.badLibrary(path: path, reason: "it cannot be read: \(error.localizedDescription)")
        }
        guard data.count <= limit else {
            throw PluginError.badLibrary(path: path, reason: "it is longer than \(limit >> 20) MiB")
        }
        return data
    }
}
