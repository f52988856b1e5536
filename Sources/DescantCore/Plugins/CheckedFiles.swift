internal import CDescant
internal import Foundation
internal import Glibc

/// Files that were opened once, checked and read through their descriptors, and that are still the same when the linker loads them.
///
/// The linker is given a path, not a descriptor: a library that is loaded as `/proc/self/fd/N` does not find what lies beside it
/// (`$ORIGIN` is the folder of the path), and a number that is used again gives the library that had it first.
struct CheckedFiles {
    private struct File {
        var path: String
        var handle: FileHandle
        var status: stat
    }

    private var files: [File] = []

    /// The number of files, each of which has a descriptor.
    var count: Int { files.count }

    /// Opens, checks and reads a file of a bundle; it stays open.
    ///
    /// - Parameters:
    ///   - name: The file's path inside the bundle.
    ///   - bundle: The bundle's folder.
    ///   - limit: The maximum length in bytes.
    /// - Throws: ``PluginError``.
    mutating func read(_ name: String, in bundle: String, limit: Int) throws -> Data {
        try Self.contents(of: openFile(name, in: bundle), limit: limit)
    }

    /// Opens, checks and digests a file of a bundle, which may be longer than what fits into memory; it stays open.
    ///
    /// - Parameters:
    ///   - name: The file's path inside the bundle.
    ///   - bundle: The bundle's folder.
    ///   - limit: The maximum length in bytes.
    /// - Returns: The file's SHA-256 in lower-case hexadecimal, and its content: an ELF file as a whole, of another file the first
    ///   ``pieceLength`` bytes.
    /// - Throws: ``PluginError``.
    mutating func digest(
        _ name: String, in bundle: String, limit: Int
    ) throws -> (digest: String, content: Data) {
        try Self.digest(of: openFile(name, in: bundle), limit: limit)
    }

    private mutating func openFile(_ name: String, in bundle: String) throws -> File {
        var folder = bundle
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            try TrustedPath.checkFolder(folder, isContainer: false)
        }
        let file = try Self.open(bundle + "/" + name)
        try TrustedPath.checkFile(file.path, file.status)
        files.append(file)
        return file
    }

    /// The SHA-256 of a file whose owner does not matter, in lower-case hexadecimal.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``PluginError/badLibrary(path:reason:)``.
    static func digest(of path: String) throws -> String { try digest(of: open(path, flags: 0), limit: .max).digest }

    /// Reads a file whose owner does not matter, such as one that is to be bundled.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The maximum length in bytes.
    /// - Throws: ``PluginError/badLibrary(path:reason:)``.
    static func read(_ path: String, limit: Int) throws -> Data {
        try contents(of: open(path, flags: 0), limit: limit)
    }

    /// Throws when a file was replaced or changed since it was read.
    ///
    /// - Throws: ``PluginError/badLibrary(path:reason:)``.
    func requireUnchanged() throws {
        for file in files {
            var held = stat()
            var found = stat()
            guard fstat(file.handle.fileDescriptor, &held) == 0, lstat(file.path, &found) == 0,
                held.isSame(as: file.status), found.isSame(as: file.status)
            else {
                throw PluginError.badLibrary(path: file.path, reason: "it was changed while it was checked and loaded")
            }
        }
    }

    /// Errors of a system that lacks something for a moment.
    static let momentary: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EIO]

    /// A link is not followed, and a pipe not waited for.
    private static func open(_ path: String, flags: Int32 = O_NOFOLLOW) throws -> File {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)
        guard descriptor >= 0 else {
            // Another attempt may succeed, which a refusal of the bundle would prevent.
            if Self.momentary.contains(errno) { throw CoreError.opening(path, errno) }
            if errno == ELOOP { throw PluginError.unsafePermissions(path: path, reason: "it is not a regular file") }
            throw PluginError.badLibrary(path: path, reason: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PluginError.badLibrary(path: path, reason: String(cString: strerror(errno)))
        }
        return File(path: path, handle: handle, status: status)
    }

    /// How many bytes are read and digested at a time.
    static let pieceLength = 1 << 20

    private static func contents(of file: File, limit: Int) throws -> Data {
        let data = try next(limit + 1, of: file)
        guard data.count <= limit else { throw tooLong(file, limit: limit) }
        return data
    }

    private static func digest(of file: File, limit: Int) throws -> (digest: String, content: Data) {
        var digest = SHA256()
        var content = Data()
        var length = 0
        while true {
            let piece = try next(pieceLength, of: file)
            guard !piece.isEmpty else { return (digest.hexadecimal(), content) }
            guard piece.count <= limit - length else { throw tooLong(file, limit: limit) }
            length += piece.count
            digest.add(piece)
            // The tables of an ELF file lie anywhere in it.
            if content.isEmpty || ELFImage.beginsELF(content) { content.append(piece) }
        }
    }

    /// Reads the next bytes; none at the end.
    private static func next(_ count: Int, of file: File) throws -> Data {
        do {
            return try file.handle.read(upToCount: count) ?? Data()
        } catch {
            throw PluginError.badLibrary(path: file.path, reason: "it cannot be read: \(error.localizedDescription)")
        }
    }

    private static func tooLong(_ file: File, limit: Int) -> PluginError {
        .badLibrary(path: file.path, reason: "it is longer than \(limit >> 20) MiB")
    }
}

extension stat {
    /// Whether it is the same file with the same content: a write changes the ctime, which no user but root can set.
    fileprivate func isSame(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino && st_size == other.st_size
            && st_ctim.tv_sec == other.st_ctim.tv_sec && st_ctim.tv_nsec == other.st_ctim.tv_nsec
    }
}

/// Checks that only root and the current user can create or change files in a folder.
enum TrustedPath {
    /// Checks every folder above a path, up to the root: a user who may rename one of them can replace it.
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
    ///   - path: The folder. A symbolic link is followed for a container only: one in a bundle leads out of it.
    ///   - isContainer: Whether it only holds what is checked itself: then everybody may write to a sticky folder such as `/tmp`,
    ///     in which only the owner of the folder and of a file can rename or remove it.
    /// - Throws: ``PluginError``.
    static func checkFolder(_ path: String, isContainer: Bool) throws {
        var status = stat()
        guard (isContainer ? stat(path, &status) : lstat(path, &status)) == 0 else {
            throw PluginError.badManifest(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT != S_IFLNK else {
            throw PluginError.unsafePermissions(path: path, reason: "it is a symbolic link and not a folder")
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
            let reason = "it belongs to user \(status.st_uid), neither root nor the current user (\(user))"
            throw PluginError.unsafePermissions(path: path, reason: reason)
        }
    }
}

/// SHA-256 as FIPS 180-4 defines it, of bytes that come in pieces: verifies the files of a bundle.
struct SHA256 {
    private var state = descant_sha256_state()

    init() { descant_sha256_begin(&state) }

    /// Adds bytes behind those before.
    mutating func add(_ data: Data) {
        data.withUnsafeBytes { bytes in descant_sha256_add(&state, bytes.baseAddress, bytes.count) }
    }

    /// The digest of all bytes in lower-case hexadecimal.
    func hexadecimal() -> String {
        var state = state
        var digest = [UInt8](repeating: 0, count: 32)
        descant_sha256_end(&state, &digest)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The digest of some bytes in lower-case hexadecimal.
    ///
    /// - Parameter data: The bytes.
    static func hexadecimal(_ data: Data) -> String {
        var digest = SHA256()
        digest.add(data)
        return digest.hexadecimal()
    }
}
