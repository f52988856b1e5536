import DescantCore
import DescantTesting
import Foundation

/// Files that mutagen tagged, made once for all tests; each test works on copies.
final class TaggedFiles: Sendable {
    static let shared = Result { try TaggedFiles() }

    private let directory: TemporaryDirectory

    private init() throws {
        directory = try TemporaryDirectory(label: "descant-tags")
        _ = try Mutagen.run(["make", directory.url.path])
    }

    /// Files whose tags can be written.
    static let writable = [
        "v22.mp3", "v23.mp3", "v24.mp3", "padded.flac", "tight.flac", "front.m4a", "back.m4a", "small.ogg", "big.ogg",
        "small.opus", "big.opus", "tagged.wav", "tagged.aiff", "tagged.wv",
    ]
    /// Files that can be read only.
    static let readOnly = ["tagged.wma", "tagged.oga", "tagged.dsf", "tagged.dff", "master.dff"]
    /// The files to damage, including formats that share their tags with others.
    static let hostile =
        writable + readOnly + ["tagged.tta", "chapters.mp3", "chapters.m4a", "chapters.opus", "track.m4a"]

    func file(_ name: String) -> URL { directory.file(name) }

    /// A copy of a file in a separate folder.
    static func copy(_ name: String, in directory: TemporaryDirectory) throws -> URL {
        let copy = directory.file(name)
        try FileManager.default.copyItem(at: try shared.get().file(name), to: copy)
        return copy
    }

    static func data(_ name: String) throws -> Data { try Data(contentsOf: try shared.get().file(name)) }
}
