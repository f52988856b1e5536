internal import CLibArchive
internal import Foundation

/// A ZIP archive whose files are read into memory with libarchive; nothing is written to the disk.
struct ZipArchive {
    /// The maximum size of one file, in bytes.
    static let fileLimit = 32 << 20
    /// The maximum number of files.
    static let entryLimit = 20_000

    private let name: String
    private let fileLimit: Int
    private let data: Data

    /// Creates an archive.
    ///
    /// - Parameters:
    ///   - data: The content of the archive.
    ///   - name: The name in errors.
    ///   - fileLimit: The maximum size of one file, in bytes.
    init(_ data: Data, name: String, fileLimit: Int = ZipArchive.fileLimit) {
        self.name = name
        self.fileLimit = fileLimit
        self.data = data
    }

    /// Reads a file.
    ///
    /// - Parameter path: The path in the archive.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``InputError`` when the archive or the file is damaged, encrypted or too large.
    func content(of path: String) throws -> Data? {
        var found: Data?
        try read([path]) { found = try $1.get() }
        return found
    }

    /// Reads several files in one pass, in the order of the archive.
    ///
    /// - Parameters:
    ///   - paths: The paths in the archive; those that are missing are left out.
    ///   - body: Is called with each path and its content, or why it cannot be read.
    /// - Throws: ``InputError`` when the list of files is damaged or too long, and what `body` throws.
    func read(_ paths: Set<String>, body: (String, Result<Data, InputError>) throws -> Void) throws {
        try data.withUnsafeBytes { bytes in
            try checkCount(of: bytes)
            // libarchive converts paths to the character set of the thread's locale.
            let unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
            let previous = uselocale(unicode)
            defer {
                uselocale(previous)
                freelocale(unicode)
            }
            guard let archive = archive_read_new() else { return }
            defer { archive_read_free(archive) }
            // Without the list of files at its end an archive is incomplete, so it is not read as a stream.
            archive_read_support_format_zip_seekable(archive)
            guard archive_read_open_memory(archive, bytes.baseAddress, bytes.count) == ARCHIVE_OK else {
                throw InputError(description: "\(name): the archive is cut off or damaged: \(Self.message(archive))")
            }
            try read(paths, of: archive, body: body)
        }
    }

    private func read(
        _ paths: Set<String>, of archive: OpaquePointer, body: (String, Result<Data, InputError>) throws -> Void
    ) throws {
        var missing = paths
        while !missing.isEmpty {
            var entry: OpaquePointer?
            let status = archive_read_next_header(archive, &entry)
            if status == ARCHIVE_EOF { return }
            guard status >= ARCHIVE_WARN, let entry else {
                throw InputError(
                    description: "\(name): the archive's list of files is damaged: \(Self.message(archive))")
            }
            guard let path = archive_entry_pathname_utf8(entry).map({ String(cString: $0) }),
                missing.remove(path) != nil
            else { continue }
            try body(path, Result { () throws(InputError) in try content(of: entry, path: path, in: archive) })
        }
    }

    private func content(
        of entry: OpaquePointer, path: String, in archive: OpaquePointer
    ) throws(InputError) -> Data {
        guard archive_entry_is_data_encrypted(entry) == 0 else {
            throw failure(path, "is encrypted; only books without copy protection are read")
        }
        var content = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = archive_read_data(archive, &chunk, chunk.count)
            if count == 0 { return content }
            guard count > 0 else { throw failure(path, "is damaged: \(Self.message(archive))") }
            guard content.count + count <= fileLimit else {
                throw failure(path, "is larger than \(fileLimit >> 20) MB when it is unpacked")
            }
            content.append(contentsOf: chunk.prefix(count))
        }
    }

    /// Counts the signatures of the list of files, which libarchive loads as a whole.
    private func checkCount(of bytes: UnsafeRawBufferPointer) throws {
        let signature: [UInt8] = [0x50, 0x4B, 0x01, 0x02]
        var count = 0
        var rest = bytes
        while let start = rest.baseAddress, let found = memmem(start, rest.count, signature, signature.count) {
            count += 1
            guard count <= Self.entryLimit else {
                throw InputError(
                    description: "\(name): more than \(Self.entryLimit) files; an archive of that size is not a book")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(UnsafeRawPointer(found) - start + signature.count))
        }
    }

    private func failure(_ path: String, _ reason: String) -> InputError {
        InputError(description: "\(name): \(path) \(reason)")
    }

    private static func message(_ archive: OpaquePointer) -> String {
        archive_error_string(archive).map { String(cString: $0) } ?? "unknown error"
    }
}
