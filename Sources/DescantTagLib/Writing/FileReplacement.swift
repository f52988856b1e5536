internal import CTagLibShim
internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Replaces a file by a new one in one step.
///
/// The new file is written without a name into the same folder, is read back, gets the mode, owner and attributes of the old one, is
/// synchronised with the disk, and then takes the name. Until that step the old file is unchanged, and the new one disappears with
/// the process. Errors of the system after that step are ignored.
///
/// An owner or a group that this user may not give is lost: a file that is to keep it would have to be written in place.
struct FileReplacement {
    let source: SourceFile
    /// Called before every change of the disk; `false` ends the work and leaves the disk as after a kill at this point.
    let mayContinue: @Sendable () -> Bool
    /// The number of bytes that are copied between two calls of ``mayContinue``.
    let step: Int
    /// What the new file is to show.
    let edits: TagEdits

    /// ``mayContinue`` has ended the work.
    struct Ended: Error {}

    private var folder: String { (source.path as NSString).deletingLastPathComponent }

    /// - Throws: `SystemError`, `CoreError`, `Ended`.
    func write(_ pieces: [Piece]) throws {
        try checkWritable()
        var target = try ReplacementTarget(in: folder)
        defer { target.close() }
        do {
            try fill(target.descriptor, with: pieces)
            try readBack(target.descriptor)
            try copyAttributes(to: target.descriptor)
            try pause()
            try check(fsync(target.descriptor))
            try checkUnchanged()
            try pause()
            try target.giveName()
            try pause()
            try check(rename(target.path, source.path))
        } catch {
            if !(error is Ended) { target.removeName() }
            throw error
        }
        try pause()
        syncFolder()
    }

    private func pause() throws { if !mayContinue() { throw Ended() } }

    private func check(_ answer: Int32) throws { if answer != 0 { throw SystemError() } }

    private func checkWritable() throws {
        // For root, `access` allows files without write permission too.
        if source.status.st_mode & 0o222 == 0 { throw SystemError(EACCES) }
        try check(access(source.path, W_OK))
    }

    private func fill(_ target: Int32, with pieces: [Piece]) throws {
        for piece in pieces {
            switch piece {
            case .old(let range): try copy(range, to: target)
            case .new(let bytes): try write(bytes, to: target)
            }
        }
    }

    private func copy(_ range: Range<Int>, to target: Int32) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            try pause()
            let count = min(step, range.upperBound - position)
            let copied = dtl_copy_range(source.descriptor, Int64(position), target, count)
            if copied < 0, errno == EINTR { continue }
            if copied < 0 { throw SystemError() }
            guard copied > 0 else { throw ContainerError.damaged("the file was cut off meanwhile") }
            position += Int(copied)
        }
    }

    private func write(_ bytes: [UInt8], to target: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try pause()
            let written = rest.prefix(step).withUnsafeBytes { Foundation.write(target, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            if written < 0 { throw SystemError() }
            rest = rest.dropFirst(written)
        }
    }

    /// Checks that the reader reads the new file and shows the fields that it is to have: in a damaged file it may stop in front of them, or show
    /// others that it hid before.
    private func readBack(_ target: Int32) throws {
        do {
            let tags = try TagLibReader.read(URL(fileURLWithPath: "/proc/self/fd/\(target)"), called: source.path)
            try edits.check(tags)
        } catch let error as CoreError where error.code == "unsupported" || error.code == "decodeError" {
            throw ContainerError.damaged("with the new tags the file could not be read back; it stays as it was")
        }
    }

    /// Copies owner, extended attributes and mode, in this order: a change of the owner clears bits of the mode, and the mode that a
    /// folder's default access list gives is not the old one.
    private func copyAttributes(to target: Int32) throws {
        try pause()
        let status = try copyOwner(to: target)
        try check(dtl_copy_attributes(source.descriptor, target))
        try check(fchmod(target, Self.mode(of: source.status, in: status)))
    }

    /// The errors for an owner or a group that only root may give, or that has no number in this container.
    private static let refusals: Set<Int32> = [EPERM, EINVAL]

    /// Copies owner and group, at least the group, as far as this user may.
    ///
    /// - Returns: The status of the new file afterwards.
    private func copyOwner(to target: Int32) throws -> stat {
        let old = source.status
        var status = stat()
        try check(fstat(target, &status))
        guard status.st_uid != old.st_uid || status.st_gid != old.st_gid else { return status }
        // The highest number keeps the owner that the new file has.
        for owner in [old.st_uid, uid_t.max] {
            if fchown(target, owner, old.st_gid) == 0 { break }
            let code = errno
            guard Self.refusals.contains(code) else { throw SystemError(code) }
        }
        try check(fstat(target, &status))
        return status
    }

    /// The mode of the new file: that of the old one, unless its owner or group was not kept.
    ///
    /// Programs do not run with the rights of another owner or group than before. The members of a new group were others before, and the
    /// members of the old group become others: all of them get the rights that both had.
    static func mode(of old: stat, in new: stat) -> mode_t {
        let mode = old.st_mode & 0o7777
        if new.st_gid != old.st_gid {
            let common = mode >> 3 & mode & 0o7
            return mode & 0o700 | common << 3 | common
        }
        return new.st_uid == old.st_uid ? mode : mode & 0o777
    }

    /// Checks that no other program has changed the file.
    private func checkUnchanged() throws {
        var now = stat()
        try check(stat(source.path, &now))
        let before = source.status
        let isSame =
            now.st_ino == before.st_ino && now.st_dev == before.st_dev && now.st_size == before.st_size
            && Self.isSame(now.st_mtim, before.st_mtim) && Self.isSame(now.st_ctim, before.st_ctim)
        guard isSame else { throw CoreError.ioError("\(source.path): another program changed it meanwhile; try again") }
    }

    private static func isSame(_ one: timespec, _ other: timespec) -> Bool {
        one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
    }

    /// Synchronises the folder with the disk, so that the name stands for the new file after a power failure, too.
    ///
    /// A failure is ignored: the file is already replaced, and a caller takes an error to mean that it is not. Without this step the
    /// name may stand for the old file after a power failure. Both files are complete on the disk.
    private func syncFolder() {
        // A folder with mode 0300 allows the replacement, but cannot be opened.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Some file systems do not support this for folders.
        fsync(descriptor)
    }
}

/// The file that replaces another one, without a name until it is complete where the file system allows that.
struct ReplacementTarget {
    private(set) var descriptor: Int32
    /// The temporary name.
    let path: String
    private var hasName = false

    /// - Throws: `SystemError`.
    init(in folder: String) throws {
        let folder = folder.isEmpty ? "." : folder
        path = "\(folder)/.descant-\(UUID().uuidString).tmp"
        descriptor = dtl_open_unnamed(folder)
        if descriptor < 0, [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) {
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            hasName = descriptor >= 0
        }
        if descriptor < 0 { throw SystemError() }
    }

    mutating func giveName() throws {
        guard !hasName else { return }
        guard dtl_name_unnamed(descriptor, path) == 0 else { throw SystemError() }
        hasName = true
    }

    mutating func removeName() {
        if hasName { unlink(path) }
        hasName = false
    }

    mutating func close() {
        Foundation.close(descriptor)
        descriptor = -1
    }
}

/// A piece of the new file.
enum Piece: Equatable {
    /// Bytes of the old file, copied as they are.
    case old(Range<Int>)
    /// New bytes.
    case new([UInt8])

    /// The number of bytes.
    var count: Int {
        switch self {
        case .old(let range): range.count
        case .new(let bytes): bytes.count
        }
    }
}
