public import Foundation

/// CUE sheets: the tracks of an album that lie in one file, or in several.
public enum CUESheet {
    /// The maximum number of tracks, and of files. A CD has 99.
    private static let trackLimit = 999
    /// The length at which titles and names are cut off, in characters.
    private static let nameLimit = 500
    /// The length at which lines are cut off, in bytes: more than two names.
    private static let lineLimit = 10_000
    /// The time unit of a CD: frames in a second.
    private static let framesPerSecond = 75.0

    /// Reads a sheet's text.
    ///
    /// A track begins at its INDEX 01 and ends where the next one of the same file begins, so that the tracks join as the file itself.
    /// The silence of PREGAP and POSTGAP, which is not in the file, is left out, and so are data tracks. Commands in any case of
    /// letters are read; other commands and REM lines are ignored.
    ///
    /// - Parameters:
    ///   - text: The sheet.
    ///   - file: Returns the file that a name in the sheet means.
    /// - Returns: The tracks in order.
    /// - Throws: ``CUESheetError`` naming the line and what is wrong with it.
    public static func entries(in text: String, file: (String) -> URL) throws(CUESheetError) -> [PlaylistEntry] {
        var sheet = Sheet()
        var rest = text.utf8[...]
        var number = 0
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            number += 1
            if !line.isEmpty { try sheet.read(words(of: Substring(line.prefix(lineLimit))), line: number) }
            let isPair = rest[line.endIndex...].starts(with: [0x0D, 0x0A])
            rest = rest[line.endIndex...].dropFirst(isPair ? 2 : 1)
        }
        return sheet.entries(file: file)
    }

    /// Splits a line at spaces; a text in quotation marks is one word.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var rest = line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        // No command has more than three words.
        while !rest.isEmpty, words.count < 4 {
            if rest.first == "\"" {
                rest = rest.dropFirst()
                // A mark inside of a name is not escaped; the last one on the line closes the name of a track or a performer.
                let end = words.first.map { ["TITLE", "PERFORMER"].contains($0.uppercased()) } ?? false
                let close = end ? rest.lastIndex(of: "\"") : rest.firstIndex(of: "\"")
                words.append(String(rest[..<(close ?? rest.endIndex)]))
                rest = close.map { rest[rest.index(after: $0)...] } ?? ""
            } else {
                let word = rest.prefix { !$0.isWhitespace }
                words.append(String(word))
                rest = rest[word.endIndex...]
            }
            rest = rest.drop(while: \.isWhitespace)
        }
        return words
    }

    /// A track of a sheet.
    private struct Track {
        let number: String
        let isAudio: Bool
        var title: String?
        var performer: String?
        /// Where INDEX 01 lies: the number of the file and the seconds in it.
        var start: (file: Int, seconds: Double)?
    }

    /// What was read so far.
    private struct Sheet {
        private var files: [String] = []
        private var tracks: [Track] = []
        private var title: String?
        private var performer: String?

        mutating func read(_ words: [String], line: Int) throws(CUESheetError) {
            guard words.count > 1 else { return }
            let value = words[1].prefix(nameLimit).trimmingCharacters(in: .whitespaces)
            switch words[0].uppercased() {
            case "FILE":
                guard files.count < trackLimit else {
                    throw CUESheetError(line: line, reason: "more than \(trackLimit) files")
                }
                files.append(words[1])
            case "TRACK":
                guard tracks.count < trackLimit else {
                    throw CUESheetError(line: line, reason: "more than \(trackLimit) tracks")
                }
                let isAudio = words.count < 3 || words[2].uppercased() == "AUDIO"
                tracks.append(Track(number: value, isAudio: isAudio))
            case "TITLE" where !value.isEmpty:
                if tracks.isEmpty { title = value } else { tracks[tracks.count - 1].title = value }
            case "PERFORMER" where !value.isEmpty:
                if tracks.isEmpty { performer = value } else { tracks[tracks.count - 1].performer = value }
            case "INDEX": try readIndex(words, line: line)
            default: break
            }
        }

        private mutating func readIndex(_ words: [String], line: Int) throws(CUESheetError) {
            // INDEX 00 is where the pause before a track begins, and numbers above 01 divide it.
            guard Int(words[1]) == 1 else { return }
            guard !tracks.isEmpty, !files.isEmpty else {
                throw CUESheetError(line: line, reason: "INDEX 01 comes before \(files.isEmpty ? "FILE" : "TRACK")")
            }
            let text = words.count > 2 ? words[2] : ""
            guard let seconds = CUESheet.seconds(text) else {
                throw CUESheetError(
                    line: line,
                    reason: "\"\(text.prefix(40))\" is not a time; write minutes:seconds:frames, such as 03:25:74")
            }
            if let last = tracks.dropLast().last(where: { $0.start != nil })?.start, last.file == files.count - 1,
                seconds < last.seconds
            {
                throw CUESheetError(line: line, reason: "the track begins before the one above it")
            }
            tracks[tracks.count - 1].start = (files.count - 1, seconds)
        }

        func entries(file: (String) -> URL) -> [PlaylistEntry] {
            let urls = files.map(file)
            let placed = tracks.filter { $0.start != nil }
            return placed.indices.compactMap { index in
                let track = placed[index]
                guard let start = track.start, track.isAudio else { return nil }
                let next = index + 1 < placed.count ? placed[index + 1].start : nil
                let end = next.flatMap { $0.file == start.file ? $0.seconds : nil }
                // Two tracks at one place: the first one is empty.
                if let end, end <= start.seconds { return nil }
                let name = track.title ?? "Track \(track.number)"
                let isWhole = start.seconds == 0 && end == nil
                let url =
                    isWhole
                    ? urls[start.file]
                    : TrackPart(start: start.seconds, end: end).url(of: urls[start.file], title: name)
                var entry = PlaylistEntry(
                    url: url, title: name, artist: track.performer ?? performer,
                    duration: end.map { $0 - start.seconds })
                entry.album = title
                return entry
            }
        }
    }

    /// Reads "minutes:seconds:frames".
    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ (1...5).contains($0.count) && $0.allSatisfy(\.isASCII) }) else {
            return nil
        }
        let numbers = parts.compactMap { UInt32($0) }
        guard numbers.count == 3, numbers[1] < 60, numbers[2] < 75 else { return nil }
        return Double(numbers[0]) * 60 + Double(numbers[1]) + Double(numbers[2]) / framesPerSecond
    }
}

/// What is wrong with a CUE sheet.
public struct CUESheetError: Error, Sendable, Hashable {
    /// The line, from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: String
}
