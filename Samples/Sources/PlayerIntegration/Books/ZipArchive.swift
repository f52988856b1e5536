internal import Foundation

/// The files of a ZIP archive, read one by one into memory; nothing is ever written to the disk.
///
/// Stored and deflated files are read; encrypted ones, archives of several parts, and those beyond 4 GB are refused.
struct ZipArchive {
    private struct Entry {
        let method: UInt16
        let isEncrypted: Bool
        let checksum: UInt32
        let compressed: Int
        let header: Int
    }

    /// The most bytes of one file of an archive.
    static let fileLimit = 32 << 20
    /// The most files of an archive.
    private static let entryLimit = 20_000

    private let name: String
    private let fileLimit: Int
    private let data: Data
    private let entries: [String: Entry]

    /// Reads the list of files.
    ///
    /// - Parameters:
    ///   - data: The archive.
    ///   - name: What errors call it.
    ///   - fileLimit: The most bytes of one file.
    /// - Throws: ``InputError`` when it is no whole ZIP archive.
    init(_ data: Data, name: String, fileLimit: Int = ZipArchive.fileLimit) throws {
        self.name = name
        self.fileLimit = fileLimit
        self.data = data
        guard let end = Self.endRecord(in: data) else {
            throw InputError(description: "\(name): the archive's end is missing; the file is cut off or damaged")
        }
        let count = Int(data.little16(at: end + 10))
        let start = Int(data.little32(at: end + 16))
        guard count < 0xFFFF, start < 0xFFFF_FFFF, data.little16(at: end + 4) == 0 else {
            throw InputError(description: "\(name): archives of several parts or beyond 4 GB are not read")
        }
        guard count <= Self.entryLimit else {
            throw InputError(description: "\(name): an archive of \(count) files is no book")
        }
        entries = try Self.directory(of: data, at: start, count: count, end: end, name: name)
    }

    /// The paths of the files.
    var paths: [String] { Array(entries.keys) }

    /// The content of a file.
    ///
    /// - Parameter path: Its path in the archive.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``InputError`` when it is damaged, encrypted or too large.
    func content(of path: String) throws -> Data? {
        guard let entry = entries[path] else { return nil }
        guard !entry.isEncrypted else {
            throw failure(path, "is encrypted; only books without copy protection are read")
        }
        guard entry.header + 30 <= data.count, data.little32(at: entry.header) == 0x0403_4B50 else {
            throw failure(path, "is not where the archive's list says")
        }
        let start =
            entry.header + 30 + Int(data.little16(at: entry.header + 26)) + Int(data.little16(at: entry.header + 28))
        guard start + entry.compressed <= data.count else { throw failure(path, "is cut off") }
        let packed = data.subdata(in: start..<start + entry.compressed)
        let content: Data
        switch entry.method {
        case 0 where packed.count <= fileLimit: content = packed
        case 0: throw failure(path, "is larger than \(fileLimit >> 20) MB")
        case 8:
            do {
                content = try Inflater.inflate(packed, limit: fileLimit)
            } catch Inflater.Failure.tooLong {
                throw failure(path, "is larger than \(fileLimit >> 20) MB when it is unpacked")
            } catch {
                throw failure(path, "is damaged")
            }
        default: throw failure(path, "is packed in a way that is not known (method \(entry.method))")
        }
        guard Inflater.checksum(content) == entry.checksum else {
            throw failure(path, "is damaged: its checksum differs")
        }
        return content
    }

    private func failure(_ path: String, _ reason: String) -> InputError {
        InputError(description: "\(name): \(path) \(reason)")
    }

    /// The place of the record that ends the archive; a comment may follow it.
    private static func endRecord(in data: Data) -> Int? {
        guard data.count >= 22 else { return nil }
        let earliest = max(0, data.count - 22 - 0xFFFF)
        return stride(from: data.count - 22, through: earliest, by: -1).first { data.little32(at: $0) == 0x0605_4B50 }
    }

    private static func directory(
        of data: Data, at start: Int, count: Int, end: Int, name: String
    ) throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        var place = start
        for _ in 0..<count {
            guard place + 46 <= end, data.little32(at: place) == 0x0201_4B50 else {
                throw InputError(description: "\(name): the archive's list of files is damaged")
            }
            let length = Int(data.little16(at: place + 28))
            let next =
                place + 46 + length + Int(data.little16(at: place + 30)) + Int(data.little16(at: place + 32))
            guard next <= end else {
                throw InputError(description: "\(name): the archive's list of files is damaged")
            }
            let path = String(decoding: data.subdata(in: place + 46..<place + 46 + length), as: UTF8.self)
            entries[path] = Entry(
                method: data.little16(at: place + 10), isEncrypted: data.little16(at: place + 8) & 1 == 1,
                checksum: data.little32(at: place + 16), compressed: Int(data.little32(at: place + 20)),
                header: Int(data.little32(at: place + 42)))
            place = next
        }
        return entries
    }
}

extension Data {
    /// Two bytes, the least significant first. The caller has checked that they are there.
    fileprivate func little16(at place: Int) -> UInt16 {
        UInt16(self[startIndex + place]) | UInt16(self[startIndex + place + 1]) << 8
    }

    /// Four bytes, the least significant first.
    fileprivate func little32(at place: Int) -> UInt32 {
        UInt32(little16(at: place)) | UInt32(little16(at: place + 2)) << 16
    }
}
