internal import DescantContainers
public import DescantCore
public import Foundation

/// Writes tags and leaves everything else in a file unchanged.
///
/// Only fields that read otherwise than given change: other frames, items, blocks and chunks, and the sound, stay byte by byte.
/// TagLib would rewrite them and lose those that it does not know; so this type edits the containers itself, and TagLib reads
/// the result (see docs/decisions). ID3v2 tags keep their version (new ones are 2.4), padding is used before the file grows.
///
/// | file | where tags go |
/// |---|---|
/// | MP3, AAC (ADTS), True Audio | ID3v2; an existing APE tag and ID3v1 block are updated |
/// | FLAC | Vorbis comments and picture blocks |
/// | Ogg Vorbis, Opus | Vorbis comments with pictures; gains in Opus as R128 |
/// | MP4 (M4A) | the item list |
/// | WAVE, AIFF | an ID3v2 chunk; existing RIFF INFO fields are updated |
/// | Monkey's Audio, WavPack, Musepack | APE; an existing ID3v1 block is updated |
///
/// Languages of lyrics are kept by ID3v2 only, kinds of pictures by all but MP4 and APE (which has a front and a back cover).
/// MP4 takes numbers and totals up to 32,767 and whole tempos only.
///
/// A file that ``TagLibReader`` cannot read is not changed. The new file is written beside the old one, is read back, gets the mode, owner
/// and extended attributes of the old one, and replaces it in one step when it is synchronised with the disk. An owner or a group that this
/// process may not give becomes that of any new file there, and nobody else gets further rights. If it cannot be read back, or shows nothing
/// of a field that it is to have, or something of one that is removed, the write fails and the old file stays. Symbolic links are followed;
/// other hard links keep the old file. May be called from any number of threads at once; writers of one file wait for one
/// another, by `flock`, for 30 s at most.
public final class TagLibWriter: TagEditorPort, Sendable {
    /// The identifier under which hosts find it in a registry.
    public static let identifier = "taglib"

    private let step: Int
    private let lockLimit: Duration
    private let mayContinue: @Sendable () -> Bool

    /// Creates a writer.
    public convenience init() { self.init(step: 8 << 20) { true } }

    /// Creates a writer for tests that stops as if killed.
    ///
    /// - Parameters:
    ///   - step: The number of bytes that are written between two calls of `mayContinue`.
    ///   - lockLimit: The longest wait for another writer of the file.
    ///   - mayContinue: Called before every change of the disk; `false` ends the work and leaves the disk as it is.
    package init(step: Int, lockLimit: Duration = .seconds(30), mayContinue: @escaping @Sendable () -> Bool) {
        self.step = step
        self.lockLimit = lockLimit
        self.mayContinue = mayContinue
    }

    /// Writes the fields that are not `nil`.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - tags: The fields to change; an empty bundle leaves the file untouched. An empty text removes its field.
    /// - Throws: As ``TagWriterPort/write(url:tags:)``.
    public func write(url: URL, tags: TagBundle) throws { try write(url: url, change: TagChange(set: tags)) }

    /// Applies a change.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - change: What to change; an empty one leaves the file untouched.
    /// - Throws: As ``TagEditorPort/write(url:change:)``.
    public func write(url: URL, change: TagChange) throws {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(url.withoutSecrets.absoluteString): tags are written into files only")
        }
        do {
            let file = try SourceFile(url, lockLimit: lockLimit)
            let container = try WritableContainer(file)
            // Files that the reader refuses are not changed.
            let edits = try TagEdits(change, of: try TagLibReader().read(url: url))
            guard !edits.isEmpty else { return }
            let pieces = try container.pieces(of: file, edits: edits)
            try FileReplacement(source: file, mayContinue: mayContinue, step: step, edits: edits).write(pieces)
        } catch let error as ContainerError {
            throw Self.error(error, url.path)
        } catch let error as SystemError {
            throw error.error(url.path)
        } catch is FileReplacement.Ended {
            throw CoreError.ioError("\(url.path): writing was ended")
        }
    }

    private static func error(_ error: ContainerError, _ path: String) -> CoreError {
        switch error {
        case .damaged(let what): .decodeError("\(path): \(what)")
        case .unsupported(let what): .unsupported("\(path): \(what)")
        case .invalidValue(let what): .invalidArgument("\(path): \(what)")
        }
    }
}
