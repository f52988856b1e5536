public import Descant
internal import Dispatch
public import Foundation
public import PlayerApp
internal import Synchronization

/// Expands inputs into tracks: files, folders with all below them but hidden files and folders, and playlists (M3U, PLS, XSPF, CUE), on the web
/// too (M3U, PLS, XSPF).
///
/// In a folder, a CUE sheet that divides a file takes the file's place.
public enum InputExpander {
    /// The file extensions of sound files in folders, without those of plugins. A file that is named directly needs none of them.
    static let endings = SoundFile.endings
    /// How long a disk may take for one step, in seconds. One that wakes up needs 10 s, and the names of some hundred thousand files in other
    /// letters than ASCII, which are sorted between two steps, as long on a slow machine.
    private static let patience = 30.0

    /// The tracks of the arguments, in order.
    ///
    /// - Parameters:
    ///   - arguments: Paths and URLs.
    ///   - environment: Loads playlists on the web.
    ///   - leaveOut: Receives the reason for each input that is left out while others have tracks; `nil` leaves out none.
    /// - Returns: The tracks; a missing file is kept, so that the player reports it.
    /// - Throws: ``InputError`` for a folder without sound, and for a playlist that cannot be read, unless it is left out;
    ///   `CancellationError`.
    public static func entries(
        for arguments: [String], in environment: AudioEnvironment, leaveOut: ((InputError) -> Void)? = nil
    ) async throws -> [PlaylistEntry] {
        try await entries(for: Choice(urls: arguments.map(url(for:))), in: environment, leaveOut: leaveOut)
    }

    /// The tracks of what a person has chosen in a window, in order. Several files at once may be all files of an album: what is neither sound
    /// nor a playlist is left out, and so is a playlist beside chosen sound, whose tracks would come twice. A single file is always tried.
    ///
    /// - Parameters:
    ///   - urls: Files, folders, playlists or web addresses.
    ///   - environment: Loads playlists on the web, and knows the formats of installed decoders.
    ///   - leaveOut: Receives the reason for each input that is left out while others have tracks, and how many files are neither sound nor
    ///     playlists; `nil` leaves out no other inputs than these files.
    /// - Throws: ``InputError`` for a folder without sound, and for a playlist that cannot be read, unless it is left out; when none of several
    ///   files is sound or a playlist; `CancellationError`.
    static func entries(
        for urls: [URL], in environment: AudioEnvironment, leaveOut: ((InputError) -> Void)? = nil
    ) async throws -> [PlaylistEntry] {
        guard urls.count > 1 else {
            return try await entries(for: Choice(urls: urls), in: environment, leaveOut: leaveOut)
        }
        let choice = try await inTime(urls[0].path, patience: patience) { step in
            Self.choice(of: urls, in: environment, step: step)
        }
        guard !choice.urls.isEmpty else {
            throw InputError(description: "none of the \(urls.count) files is sound or a playlist")
        }
        if choice.otherCount > 0 {
            let (files, lists) = choice.otherCount == 1 ? ("file is", "a playlist") : ("files are", "playlists")
            leaveOut?(InputError(description: "\(choice.otherCount) \(files) left out: neither sound nor \(lists)"))
        }
        return try await entries(for: choice, in: environment, leaveOut: leaveOut)
    }

    /// What is meant of several files that were chosen at once.
    private struct Choice {
        /// Sound, playlists, folders and addresses.
        var urls: [URL] = []
        /// The tracks of files that chosen CUE sheets divide, by the paths of the files.
        var parts: [String: [PlaylistEntry]] = [:]
        /// How many of the files are neither sound nor playlists.
        var otherCount = 0
    }

    /// - Parameter step: Called after each step of the disk.
    private static func choice(of urls: [URL], in environment: AudioEnvironment, step: () -> Void) -> Choice {
        let endings = endings.union(environment.makeTagReaderService().fileExtensions)
        func isSound(_ url: URL) -> Bool {
            !url.isFileURL || PlaylistFile.isPlaylist(url) || endings.contains(ending(of: url.path))
        }
        let hasSound = urls.contains(where: isSound)
        let chosen = Set(urls.filter(\.isFileURL).map(\.standardizedFileURL.path))
        var choice = Choice()
        var sheets: [URL] = []
        for url in urls {
            if PlaylistFile.isPlaylist(url) {
                // One whose tracks were all chosen themselves adds none. One that cannot be read is named later.
                let entries = (try? PlaylistFile.entries(of: url, step: step)) ?? []
                if entries.isEmpty || !entries.allSatisfy({ chosen.contains($0.url.standardizedFileURL.path) }) {
                    choice.urls.append(url)
                } else if ending(of: url.path) == "cue" {
                    sheets.append(url)
                }
            } else if isSound(url) || !(SoundFile.isCompanion(url) || hasSound && url.pathExtension.isEmpty) {
                // What is of an unknown kind is tried.
                choice.urls.append(url)
            } else {
                var isFolder: ObjCBool = false
                let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
                step()
                if exists, isFolder.boolValue { choice.urls.append(url) } else { choice.otherCount += 1 }
            }
        }
        choice.parts = CUEFiles.parts(in: sheets, step: step)
        return choice
    }

    private static func entries(
        for choice: Choice, in environment: AudioEnvironment, leaveOut: ((InputError) -> Void)? = nil
    ) async throws -> [PlaylistEntry] {
        let web = WebPlaylists(environment: environment)
        var entries: [PlaylistEntry] = []
        var failures: [InputError] = []
        for url in choice.urls {
            if url.isFileURL, let part = choice.parts[url.standardizedFileURL.path] {
                entries += part
                continue
            }
            do {
                guard url.isFileURL else {
                    entries += try await web.tracks(of: url)
                    continue
                }
                let found = try await localEntriesInTime(for: url, in: environment)
                failures += found.problems
                entries += try await web.expanded(found.entries, of: url)
            } catch let failure as InputError where leaveOut != nil {
                failures.append(failure)
            }
        }
        // Where nothing is left, the last reason is thrown, and the others are told.
        let thrown = entries.isEmpty ? failures.popLast() : nil
        for failure in failures { leaveOut?(failure) }
        if let thrown { throw thrown }
        return entries
    }

    /// The tracks of an input that a person has typed, in order.
    ///
    /// - Parameters:
    ///   - input: A path, which may begin with `~`, or an address.
    ///   - environment: Loads playlists on the web.
    /// - Throws: ``InputError``, also for a missing file; `CancellationError`.
    static func entries(named input: String, in environment: AudioEnvironment) async throws -> [PlaylistEntry] {
        let url = Self.url(for: input.hasPrefix("~") ? HomePath.expand(input) : input)
        if url.isFileURL {
            let path = url.path
            let exists = try await inTime(path, patience: patience) { _ in PlaylistFile.exists(path) }
            guard exists else { throw InputError(description: "\(path): there is no such file or folder") }
        }
        return try await entries(for: [url], in: environment)
    }

    /// The URL of an argument, which is a path unless it begins with a scheme.
    ///
    /// - Parameter argument: A path or URL.
    public static func url(for argument: String) -> URL {
        if argument.contains("://"), let url = URL(string: argument), url.scheme != nil { return url }
        return URL(fileURLWithPath: argument).standardizedFileURL
    }

    /// The tracks that a URL stands for, in order; nothing is loaded from the web.
    ///
    /// - Parameters:
    ///   - url: A file, folder, playlist or web address.
    ///   - environment: Knows the formats of installed decoders.
    /// - Throws: ``InputError``.
    public static func localEntries(
        for url: URL, in environment: AudioEnvironment = .shared
    ) throws -> [PlaylistEntry] {
        try localEntries(for: url, in: environment) {}.entries
    }

    /// What was found in a file or folder.
    private struct Found {
        var entries: [PlaylistEntry]
        /// What in the folder cannot be read.
        var problems: [InputError] = []
    }

    /// - Parameter step: Called after each step of the disk.
    private static func localEntries(
        for url: URL, in environment: AudioEnvironment, step: () -> Void
    ) throws -> Found {
        guard url.isFileURL else { return Found(entries: [PlaylistEntry(url: url)]) }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        step()
        if exists, isFolder.boolValue { return try files(below: url, in: environment, step: step) }
        if exists, PlaylistFile.isPlaylist(url) {
            return Found(entries: try PlaylistFile.entries(of: url, step: step))
        }
        return Found(entries: [PlaylistEntry(url: url)])
    }

    private static func localEntriesInTime(for url: URL, in environment: AudioEnvironment) async throws -> Found {
        try await inTime(url.path, patience: patience) { step in
            try localEntries(for: url, in: environment, step: step)
        }
    }

    /// Reads from a disk that may hang, on a thread of its own: the threads of tasks are few. A disk that goes on may take as long as it needs;
    /// what comes from one that was given up is dropped.
    ///
    /// - Parameters:
    ///   - path: What is read, for the error.
    ///   - patience: How long one step may take, in seconds.
    ///   - read: Reads, and calls its argument after each step.
    /// - Throws: ``InputError`` when a step takes too long, or what reading throws; `CancellationError`.
    static func inTime<Value: Sendable>(
        _ path: String, patience: Double, _ read: @escaping @Sendable (_ step: () -> Void) throws -> Value
    ) async throws -> Value {
        let (results, feed) = AsyncThrowingStream.makeStream(of: Value.self, throwing: (any Error).self)
        let steps = StepCount()
        DispatchQueue(label: "descant.input").async {
            do {
                feed.yield(try read { steps.add() })
                feed.finish()
            } catch {
                feed.finish(throwing: error)
            }
        }
        let watch = Task {
            var seen: Int?
            while seen != steps.count {
                seen = steps.count
                try await Task.sleep(for: .seconds(patience))
            }
            let limit = Int(patience.rounded())
            feed.finish(
                throwing: InputError(description: "\(path): the disk has not answered for \(limit) s; is it there?"))
        }
        defer { watch.cancel() }
        for try await value in results { return value }
        throw CancellationError()
    }

    private static func files(
        below folder: URL, in environment: AudioEnvironment, step: () -> Void
    ) throws -> Found {
        let (paths, problems) = try paths(below: folder, step: step)
        let endings = endings.union(environment.makeTagReaderService().fileExtensions)
        let sounds = sorted(paths.filter { endings.contains(ending(of: $0)) })
        step()
        guard !sounds.isEmpty else {
            let reason = problems.first.map { "; \($0.description)" } ?? ""
            throw InputError(description: "\(folder.path): there are no audio files in this folder\(reason)")
        }
        let sheets = paths.filter { ending(of: $0) == "cue" }.sorted()
        let parts = CUEFiles.parts(
            in: sheets.prefix(PlaylistFile.fileLimit).map(folder.appendingPathComponent), step: step)
        let root = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        let entries = sounds.flatMap { path in
            let file = URL(filePath: root + path, directoryHint: .notDirectory)
            let part = parts.isEmpty ? nil : parts[file.standardizedFileURL.path]
            return part ?? [PlaylistEntry(url: file)]
        }
        return Found(entries: entries, problems: problems)
    }

    /// The ending of a path's name, in lower case; empty for none.
    static func ending(of path: String) -> String {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[$0...].dropFirst() } ?? path.utf8[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
        return String(Substring(name[dot...].dropFirst())).lowercased()
    }

    /// Returns paths in order: numbers by their value, letters without case and accents. Accents decide where nothing else does.
    static func sorted(_ paths: [String]) -> [String] {
        func isASCII(_ path: String) -> Bool { path.utf8.allSatisfy { $0 < 0x80 } }
        guard !paths.allSatisfy(isASCII) else { return paths.sorted(by: comesBefore) }
        // Foundation is asked once for each letter: it takes much longer to fold a path than to compare it.
        var folded: [Character: String] = [:]
        func withoutAccents(_ path: String) -> String {
            var text = ""
            for letter in path {
                if letter.isASCII {
                    text.append(letter)
                } else if let plain = folded[letter] {
                    text += plain
                } else {
                    let whole = String(letter).precomposedStringWithCanonicalMapping
                    let plain = whole.folding(options: .diacriticInsensitive, locale: nil)
                    folded[letter] = plain
                    text += plain
                }
            }
            return text
        }
        let keyed = paths.map { (key: isASCII($0) ? $0 : withoutAccents($0), path: $0) }
        return keyed.sorted { first, second in
            let result = order(of: first.key, and: second.key)
            return result == .orderedSame ? comesBefore(first.path, second.path) : result == .orderedAscending
        }.map(\.path)
    }

    /// Whether a path comes before another one: numbers by their value, letters without case.
    static func comesBefore(_ first: String, _ second: String) -> Bool {
        order(of: first, and: second) == .orderedAscending
    }

    /// The order of two paths: numbers by their value, letters without case.
    ///
    /// Foundation takes 1 µs for it, 2 s for the paths of a hundred thousand files. It is asked where ASCII does not decide.
    private static func order(of first: String, and second: String) -> ComparisonResult {
        var (first, second) = (first, second)
        let order = first.withUTF8 { one in second.withUTF8 { other in orderInASCII(one, other) } }
        return order ?? first.compare(second, options: [.numeric, .caseInsensitive])
    }

    /// The order of two paths; `nil` where characters decide that are not ASCII, and numbers that are very long.
    private static func orderInASCII(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult? {
        var (i, k) = (0, 0)
        while i < first.count, k < second.count {
            guard first[i] < 0x80, second[k] < 0x80 else { return nil }
            if isDigit(first[i]), isDigit(second[k]) {
                guard let one = number(in: first, at: &i), let other = number(in: second, at: &k) else { return nil }
                if one != other { return one < other ? .orderedAscending : .orderedDescending }
            } else {
                let (one, other) = (lowercased(first[i]), lowercased(second[k]))
                (i, k) = (i + 1, k + 1)
                if one != other { return one < other ? .orderedAscending : .orderedDescending }
            }
        }
        if i < first.count { return .orderedDescending }
        return k < second.count ? .orderedAscending : .orderedSame
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// The number at a place, which moves behind it; `nil` for one that may not fit.
    private static func number(in bytes: UnsafeBufferPointer<UInt8>, at index: inout Int) -> UInt64? {
        let start = index
        var number: UInt64 = 0
        while index < bytes.count, isDigit(bytes[index]), index - start < 18 {
            number = number * 10 + UInt64(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        return index < bytes.count && isDigit(bytes[index]) ? nil : number
    }

    /// Returns the files below a folder by their paths from there. Hidden names are left out, such as those of macOS's metadata. The
    /// folder may be a link; links to folders below it are not followed, as they may lead in circles.
    ///
    /// - Returns: The files, and what cannot be read.
    private static func paths(
        below folder: URL, step: () -> Void
    ) throws -> (files: [String], problems: [InputError]) {
        func names(in path: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + path).filter { !$0.hasPrefix(".") }
        }
        guard var waiting = try? names(in: "") else {
            throw InputError(description: "\(folder.path): the folder cannot be read")
        }
        var files: [String] = []
        var unread: [String] = []
        while let path = waiting.popLast() {
            var status = stat()
            guard lstat(folder.path + "/" + path, &status) == 0 else {
                unread.append("\(folder.path)/\(path): \(reason(errno, for: path))")
                continue
            }
            step()
            if status.st_mode & S_IFMT != S_IFDIR {
                files.append(path)
            } else if let inner = try? names(in: path) {
                waiting += inner.map { "\(path)/\($0)" }
            } else {
                unread.append("\(folder.path)/\(path): the folder cannot be read")
            }
        }
        var problems = unread.prefix(problemLimit).map { InputError(description: $0) }
        if unread.count > problemLimit {
            let rest = unread.count - problemLimit
            problems.append(InputError(description: "\(folder.path): \(rest) more files or folders cannot be read"))
        }
        return (files, problems)
    }

    /// How many files and folders of one folder that cannot be read are named.
    private static let problemLimit = 10

    private static func reason(_ code: Int32, for path: String) -> String {
        // Foundation gives such a name with other letters, by which no file is found.
        let isForeign = code == ENOENT && path.contains("\u{FFFD}")
        return isForeign ? "the name is not UTF-8; rename it" : String(cString: strerror(code))
    }
}

/// How many steps a disk has made.
private final class StepCount: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.add(1, ordering: .relaxed) }
}

extension URL {
    /// The address as it may be shown: without a user name and password.
    var shownAddress: String { isFileURL ? absoluteString : AudioSource.url(self).name }
}
