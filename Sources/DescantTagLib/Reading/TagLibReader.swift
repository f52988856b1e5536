internal import CTagLibShim
public import DescantCore
public import Foundation

/// Reads tags with TagLib.
///
/// Knows ID3v1, ID3v2, APE, Vorbis comments, MP4, RIFF INFO and ASF, in MP3, AAC (ADTS), FLAC, Ogg (Vorbis, Opus, Speex, FLAC), MP4,
/// WAVE, AIFF, ASF, Monkey's Audio, WavPack, Musepack, True Audio, DSF and DFF files; the content of the file decides the format. In a file
/// with several kinds of tags, each field comes from the first kind that has it: ID3v2, then APE, then ID3v1; Vorbis comments before
/// ID3; ID3v2 before RIFF INFO.
///
/// A Vorbis comment or an APE item without a value counts as absent.
///
/// May be called from any number of threads at once. The reader reads at most eight times the length of the file plus 64 MB, and
/// refuses files that demand more.
public final class TagLibReader: TagReaderPort, Sendable {
    /// The identifier under which hosts find it in a registry.
    public static let identifier = "taglib"

    /// Creates a reader.
    public init() {}

    /// Reads every tag of a file, its pictures and its technical properties.
    ///
    /// - Parameter url: A file URL.
    /// - Returns: The tags.
    /// - Throws: As ``TagReaderPort/read(url:)``.
    public func read(url: URL) throws -> TagBundle {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(url.withoutSecrets.absoluteString): tags are read from files only")
        }
        return try Self.read(url, called: url.path)
    }

    /// Reads a file under another name, for files without one.
    ///
    /// - Parameters:
    ///   - url: The address of the file.
    ///   - name: The path for errors, and for formats that the extension decides.
    static func read(_ url: URL, called name: String) throws -> TagBundle {
        var records: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = url.withUnsafeFileSystemRepresentation { path in
            path.map { dtl_read($0, name, &records, &count) } ?? ENOENT
        }
        guard status == 0 else { throw error(status, name) }
        defer { free(records) }
        return TagRecords(UnsafeRawBufferPointer(start: records, count: count)).bundle()
    }

    private static func error(_ status: Int32, _ path: String) -> CoreError {
        switch dtl_status(rawValue: status) {
        case DTL_UNSUPPORTED: .unsupported("\(path): no file format with tags that are known here")
        case DTL_DAMAGED: .decodeError("\(path): the file's headers are damaged")
        case DTL_ENDLESS: .decodeError("\(path): its structure leads in circles; reading it was given up")
        case DTL_FAILED: .ioError("\(path): TagLib could not read it, or memory ran out")
        default: SystemError(status).error(path)
        }
    }
}

/// The error of a system call on a file.
struct SystemError: Error {
    let code: Int32

    init(_ code: Int32 = errno) { self.code = code }

    /// The error of the port: `notFound` for a missing file, else `ioError` with the system's text.
    func error(_ path: String) -> CoreError {
        if code == ENOENT || code == ENOTDIR { return .notFound(path) }
        return .ioError("\(path): \(String(cString: strerror(code)))")
    }
}
