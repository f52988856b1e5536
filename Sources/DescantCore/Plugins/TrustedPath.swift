internal import Foundation
internal import Glibc

/// Checks that nobody but root and the present user could have put code into a place, or could change it.
enum TrustedPath {
    /// Checks every folder above a path, up to the root: whoever may rename one of them may put another one in its place.
    ///
    /// - Parameter path: A path without symbolic links.
    /// - Throws: ``PluginError``.
    static func checkAncestors(of path: String) throws {
        var folder = (path as NSString).deletingLastPathComponent
        while true {
            try checkFolder(folder.isEmpty ? "/" : folder, isContainer: true)
            guard folder.count > 1 else { return }
            folder = (folder as NSString).deletingLastPathComponent
        }
    }

    /// Checks a folder: its owner, and that not everybody may write to it.
    ///
    /// - Parameters:
    ///   - path: The folder; symbolic links are followed.
    ///   - isContainer: Whether it only holds what is checked itself: then everybody may write to a sticky folder such as `/tmp`,
    ///     in which only the owner of the folder and of a file can rename or remove it.
    /// - Throws: ``PluginError``.
    static func checkFolder(_ path: String, isContainer: Bool) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw PluginError.badManifest(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PluginError.badManifest(path: path, reason: "it is not a folder")
        }
        if isContainer, status.st_mode & S_ISVTX != 0 { status.st_mode &= ~S_IWOTH }
        try checkOwnerAndMode(path, status, user: geteuid())
    }

    /// Checks a file inside a checked folder: a regular file, its owner, and that not everybody may write to it.
    ///
    /// - Parameters:
    ///   - path: What errors call it.
    ///   - status: What the system says of it; a symbolic link is refused, since it leads out of what was checked.
    ///   - user: Who may own it besides root.
    /// - Throws: ``PluginError``.
    static func checkFile(_ path: String, _ status: stat, user: uid_t = geteuid()) throws {
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
}
