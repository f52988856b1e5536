public import DescantCore
public import Foundation

/// Checks the rules that every tag writer must keep; see `TagWriterPort` for the rules in full.
///
/// The checks write into copies of the fixtures and read them with a tag reader.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#tag-writer -->
/// ```swift
/// let contract = TagWriterContract(files: [file], makeReader: { MyTagReader() }, makeWriter: { MyTagWriter() })
/// #expect(try contract.findings() == [])
/// ```
public struct TagWriterContract: Sendable {
    /// Files that the writer supports; at least one.
    public var files: [URL]
    private let makeReader: @Sendable () throws -> any TagReaderPort
    private let makeWriter: @Sendable () throws -> any TagWriterPort

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - files: Files that the writer supports.
    ///   - makeReader: Makes a reader.
    ///   - makeWriter: Makes a writer.
    public init(
        files: [URL], makeReader: @escaping @Sendable () throws -> any TagReaderPort,
        makeWriter: @escaping @Sendable () throws -> any TagWriterPort
    ) {
        self.files = files
        self.makeReader = makeReader
        self.makeWriter = makeWriter
    }

    /// Runs every check.
    ///
    /// - Returns: The broken rules; empty for a writer that keeps the contract.
    /// - Throws: Only when a check itself cannot run, for example because the disk is full.
    public func findings() throws -> [ContractFinding] {
        var collector = FindingCollector()
        collector.needsFixture(!files.isEmpty)
        for file in files {
            let directory = try TemporaryDirectory(label: "descant-tag-contract")
            let copy = directory.file(file.lastPathComponent)
            try FileManager.default.copyItem(at: file, to: copy)
            do {
                try checkFields(copy, into: &collector)
                try checkRemovals(copy, into: &collector)
                try checkRefusals(copy, into: &collector)
            } catch {
                collector.expect(false, "\(file.lastPathComponent) can be written", seen: "\(error)")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            collector.expectEqual(
                left, [copy.lastPathComponent], "\(file.lastPathComponent): no other file is left in the folder")
        }
        try checkBadFiles(into: &collector)
        return collector.findings
    }

    // MARK: Fields

    /// Writes one field after the other. The field must have its new value, and no other field may change.
    private func checkFields(_ file: URL, into collector: inout FindingCollector) throws {
        let (reader, writer) = (try makeReader(), try makeWriter())
        let name = file.lastPathComponent
        let untouched = try Data(contentsOf: file)
        try writer.write(url: file, tags: TagBundle())
        collector.expect(
            try Data(contentsOf: file) == untouched, "\(name): an empty bundle does not change the file",
            seen: "a change")
        let mode = try Self.mode(of: file)
        for (field, change, apply) in Self.changes {
            var expected = try reader.read(url: file)
            try writer.write(url: file, tags: change)
            apply(&expected)
            expected.technical = nil
            let differences = TagComparison(try reader.read(url: file), expected).differences
            collector.expect(
                differences.isEmpty, "\(name): writing the \(field) changes this field only",
                seen: "other values in \(differences.joined(separator: ", "))")
        }
        collector.expectEqual(try Self.mode(of: file), mode, "\(name): the file's mode is kept")
    }

    /// One field after the other, of a writer that can remove: it is absent, and no other field has changed. An empty text does the
    /// same.
    private func checkRemovals(_ file: URL, into collector: inout FindingCollector) throws {
        let reader = try makeReader()
        guard let editor = try makeWriter() as? any TagEditorPort else { return }
        let name = file.lastPathComponent
        try editor.write(url: file, tags: TagBundle(album: "Album", genre: "Ambient"))
        let empty = TagBundle(title: "", artist: "", genre: " ")
        let changes =
            [("an empty title, artist and genre", TagChange(set: empty))]
            + TagField.allCases.filter { $0 != .artwork }.map { ("the \($0)", TagChange(remove: [$0])) }
        for (what, change) in changes {
            let expected = try change.applied(to: try reader.read(url: file))
            try editor.write(url: file, change: change)
            let differences = TagComparison(try reader.read(url: file), expected).differences
            collector.expect(
                differences.isEmpty, "\(name): removing \(what) removes it, and nothing else",
                seen: "other values in \(differences.joined(separator: ", "))")
        }
        let left = TagComparison(try reader.read(url: file), TagBundle()).differences
        collector.expectEqual(left, [], "\(name): a file whose fields are all removed has none")
    }

    private static func mode(of file: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    private typealias Change = (field: String, written: TagBundle, apply: (inout TagBundle) -> Void)

    private static func change(_ field: String, _ apply: @escaping (inout TagBundle) -> Void) -> Change {
        var written = TagBundle()
        apply(&written)
        return (field, written, apply)
    }

    private static var changes: [Change] {
        [
            change("title") { $0.title = "Ein längerer Titel — 長い題名" },
            change("title in Latin-1") { $0.title = "Déjà vu" },
            change("artists") { $0.artists = ["Eins", "Zwei", "Drei"] },
            change("album") { $0.album = "Album" },
            change("album artist") { $0.albumArtist = "Viele" },
            change("composers") { $0.composers = ["C1", "C2"] },
            change("genre") { $0.genre = "Ambient" },
            change("year") { $0.year = 1987 },
            change("track number") { $0.trackNumber = 3 },
            change("track total") { $0.trackTotal = 14 },
            change("disc number") { $0.discNumber = 2 },
            change("disc total") { $0.discTotal = 3 },
            change("tempo") { $0.bpm = 97 },
            change("comment") { $0.comment = "nothing more to say" },
            change("gain of the track") { $0.replayGain.trackGain = -7.25 },
            change("gain of the album") { $0.replayGain.albumGain = 2.5 },
            change("title's sort name") { $0.sortNames.title = "Titel, Ein" },
            change("release") { $0.musicBrainz.releaseID = "9b1c" },
            change("recording") { $0.musicBrainz.recordingID = "77aa" },
            change("artists' identifiers") { $0.musicBrainz.artistIDs = ["1", "2"] },
            change("lyrics") { $0.lyrics = [LyricsLanguageVariant(text: "one\ntwo")] },
        ]
    }

    // MARK: Refusals

    private func checkRefusals(_ file: URL, into collector: inout FindingCollector) throws {
        let writer = try makeWriter()
        let name = file.lastPathComponent
        let before = try Data(contentsOf: file)
        let wrong: [(String, (inout TagBundle) -> Void)] = [
            ("the year 33", { $0.year = 33 }), ("track 0", { $0.trackNumber = 0 }),
            ("a gain that is not a number", { $0.replayGain.trackGain = .nan }),
            ("a picture that is not an image", { $0.artworkData = Data("no picture".utf8) }),
        ]
        for (what, set) in wrong {
            var tags = TagBundle(title: "must not be written")
            set(&tags)
            collector.expectError(["invalidArgument"], "\(name): \(what) is refused") {
                try writer.write(url: file, tags: tags)
            }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file.path)
        collector.expectError(["ioError"], "\(name): a read-only file is refused") {
            try writer.write(url: file, tags: TagBundle(title: "must not be written"))
        }
        collector.expect(
            try Data(contentsOf: file) == before, "\(name): after an error the file is unchanged", seen: "a change")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }

    private func checkBadFiles(into collector: inout FindingCollector) throws {
        let directory = try TemporaryDirectory(label: "descant-tag-contract")
        let suffix = files.first?.pathExtension ?? "bin"
        let folder = directory.file("folder.\(suffix)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let text = try directory.write(Data("no tags here".utf8), to: "text.txt")
        let writer = try makeWriter()
        let cases: [(String, URL, Set<String>)] = [
            ("a missing file", directory.file("missing.\(suffix)"), ["notFound"]),
            ("a directory", folder, ["ioError", "unsupported"]), ("a text file", text, ["unsupported"]),
        ]
        for (what, url, codes) in cases {
            collector.expectError(codes, "writing \(what) fails with \(codes.sorted().joined(separator: " or "))") {
                try writer.write(url: url, tags: TagBundle(title: "must not be written"))
            }
        }
        collector.expectEqual(
            try Data(contentsOf: text), Data("no tags here".utf8), "a file of another format is unchanged")
    }
}
