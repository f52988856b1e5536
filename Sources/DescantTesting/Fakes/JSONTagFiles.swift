public import DescantCore
public import Foundation

/// A reader and writer of tags for files of its own: a first line, then the tags as JSON.
///
/// Callable from any thread.
public final class JSONTagFiles: TagReaderPort, TagEditorPort, Sendable {
    /// The first line by which a file of this format.
    public static let fileHeader = Data("DESCANT-TAGS\n".utf8)

    /// Creates a reader and writer.
    public init() {}

    /// Makes a file.
    ///
    /// - Parameters:
    ///   - url: Where.
    ///   - tags: What it holds.
    /// - Throws: `CoreError.ioError` naming the file.
    public func make(_ url: URL, tags: TagBundle) throws {
        var tags = tags
        tags.technical = nil
        do {
            try (Self.fileHeader + JSONEncoder().encode(tags)).write(to: url)
        } catch {
            throw CoreError.ioError("\(url.path): \(error)")
        }
    }

    /// Reads a file's tags.
    ///
    /// - Parameter url: A file made by this type.
    /// - Throws: `CoreError.notFound`, `CoreError.ioError` for a directory, `CoreError.unsupported` for a file of another kind,
    ///   `CoreError.decodeError` for a damaged one.
    public func read(url: URL) throws -> TagBundle {
        let data = try content(of: url)
        guard var tags = try? JSONDecoder().decode(TagBundle.self, from: data.dropFirst(Self.fileHeader.count)) else {
            throw CoreError.decodeError("\(url.path): what follows the first line is no JSON of tags")
        }
        var technical = TechnicalProperties()
        technical.fileSize = Int64(data.count)
        tags.technical = technical
        return tags
    }

    private func content(of url: URL) throws -> Data {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw CoreError.notFound(url.path)
        }
        if isDirectory.boolValue { throw CoreError.ioError("\(url.path) is a directory") }
        let data: Data
        do { data = try Data(contentsOf: url) } catch { throw CoreError.ioError("\(url.path): \(error)") }
        guard data.starts(with: Self.fileHeader) else {
            throw CoreError.unsupported("\(url.path) does not begin with DESCANT-TAGS")
        }
        return data
    }

    /// Writes the fields that are not `nil`.
    ///
    /// - Parameters:
    ///   - url: A file made by this type.
    ///   - tags: The fields to change.
    /// - Throws: As ``read(url:)``, and `CoreError.invalidArgument` for values out of range, `CoreError.ioError` for a
    ///   read-only file.
    public func write(url: URL, tags: TagBundle) throws { try write(url: url, change: TagChange(set: tags)) }

    /// Applies a change.
    ///
    /// - Parameters:
    ///   - url: A file made by this type.
    ///   - change: What to change.
    /// - Throws: As ``write(url:tags:)``.
    public func write(url: URL, change: TagChange) throws {
        let old = try read(url: url)
        try Self.check(change.set, url)
        let new = try change.applied(to: old)
        guard new != old else { return }
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        if let mode = attributes?[.posixPermissions] as? NSNumber, mode.intValue & 0o222 == 0 {
            throw CoreError.ioError("\(url.path) is read-only")
        }
        try make(url, tags: new)
    }

    private static func check(_ tags: TagBundle, _ url: URL) throws {
        let numbers = [tags.trackNumber, tags.trackTotal, tags.discNumber, tags.discTotal].compactMap(\.self)
        let gains = [tags.replayGain.trackGain, tags.replayGain.albumGain].compactMap(\.self)
        let isRight =
            numbers.allSatisfy { $0 >= 1 } && tags.year.map { (1_000...9_999).contains($0) } != false
            && gains.allSatisfy(\.isFinite) && tags.artworkData.map { TagPicture.mimeType(of: $0) != nil } != false
        guard isRight else { throw CoreError.invalidArgument("\(url.path): a value is out of range") }
    }
}
