internal import DescantContainers
internal import DescantCore
internal import Foundation

/// The fields of a file that change, checked, and converted to text.
///
/// A field that already reads as it is to be is not among them, so that what the reader does not show of it stays.
struct TagEdits {
    /// The fields that change, with their values; a field without values is removed.
    private(set) var texts: [TagField: [String]] = [:]
    private(set) var lyrics: LyricsEdit?
    private(set) var pictures: PictureEdit?
    /// The tags of the changed file.
    private let expected: TagBundle
    /// The fields that are removed, shown or not.
    private let removed: Set<TagField>
    /// Numbers and totals as the reader shows them, which may come from another tag of the file.
    private let counts: [TagField: Int]
    /// The new gains as numbers, for tags that do not store them as text.
    let replayGain: ReplayGainTags

    var isEmpty: Bool { texts.isEmpty && lyrics == nil && pictures == nil }

    /// The edits for a second tag of a file, whose pictures stay.
    var withoutPictures: TagEdits {
        var edits = self
        edits.pictures = nil
        return edits
    }

    /// The new values of a field; `nil` when it does not change, empty when it is removed.
    subscript(field: TagField) -> [String]? { texts[field] }

    /// - Parameters:
    ///   - change: What to change.
    ///   - current: The tags as the reader shows them.
    /// - Throws: `ContainerError.invalidValue` naming the field whose value cannot be written.
    init(_ change: TagChange, of current: TagBundle) throws(ContainerError) {
        let new: TagBundle
        do { new = try change.applied(to: current) } catch { throw .invalidValue(error.message) }
        expected = new
        removed = Set(change.remove)
        replayGain = new.replayGain
        counts = [
            .trackNumber: current.trackNumber, .trackTotal: current.trackTotal, .discNumber: current.discNumber,
            .discTotal: current.discTotal,
        ].compactMapValues(\.self)
        for field in TagField.allCases {
            let values = try Self.texts(field, new, before: current)
            guard let values else { continue }
            guard !values.contains(where: { $0.utf8.contains(0) }) else {
                throw .invalidValue("\(field.rawValue) with a zero byte")
            }
            texts[field] = values
        }
        // A second tag of the file may have the half of a pair that the reader does not show.
        for pair: [TagField] in [[.trackNumber, .trackTotal], [.discNumber, .discTotal]]
        where removed.isSuperset(of: pair) && pair.contains(where: { texts[$0] != nil }) {
            for field in pair { texts[field] = [] }
        }
        if new.lyrics != current.lyrics {
            for variant in new.lyrics ?? [] where variant.text.utf8.contains(0) {
                throw .invalidValue("lyrics with a zero byte")
            }
            lyrics = LyricsEdit(new: new.lyrics ?? [])
        }
        let (old, pictures) = (current.pictures ?? [], new.pictures ?? [])
        for picture in pictures where !old.contains(picture) { try Self.check(picture) }
        if pictures != old || change.remove.contains(.pictures) {
            self.pictures = PictureEdit(old: old, new: pictures, removesHidden: change.remove.contains(.pictures))
        }
    }

    /// Checks that a file shows each field that has a value, and none that is removed.
    ///
    /// - Parameter tags: What the reader shows of the changed file.
    func check(_ tags: TagBundle) throws(ContainerError) {
        for field in TagField.allCases {
            let isExpected = Self.hasValue(field, expected)
            guard Self.hasValue(field, tags) != isExpected, isExpected || removed.contains(field) else { continue }
            throw .damaged(
                "with the new tags the file reads back with\(isExpected ? "out" : "") its \(field.rawValue); it stays as it was"
            )
        }
    }

    private static func hasValue(_ field: TagField, _ tags: TagBundle) -> Bool {
        // Readers take spaces alone for no text.
        func isText(_ text: String) -> Bool { !text.allSatisfy(\.isWhitespace) }
        return switch field.path {
        case .text(let path): tags[keyPath: path].map(isText) ?? false
        case .list(let path): tags[keyPath: path]?.contains(where: isText) ?? false
        case .number(let path): tags[keyPath: path] != nil
        case .decimal(let path): tags[keyPath: path] != nil
        case .lyrics: !(tags.lyrics ?? []).isEmpty
        // These show the pictures' front cover.
        case .artwork: false
        case .pictures: !(tags.pictures ?? []).isEmpty
        }
    }

    // MARK: Values as text

    /// The new values of a field that is text in every kind of tag; `nil` when it does not change.
    private static func texts(
        _ field: TagField, _ new: TagBundle, before old: TagBundle
    ) throws(ContainerError) -> [String]? {
        switch field.path {
        case .text(let path):
            return new[keyPath: path] == old[keyPath: path] ? nil : new[keyPath: path].map { [$0] } ?? []
        case .list(let path):
            let (values, known) = (new[keyPath: path] ?? [], old[keyPath: path] ?? [])
            return values == known ? nil : values
        case .number(let path):
            guard new[keyPath: path] != old[keyPath: path] else { return nil }
            return try new[keyPath: path].map { value throws(ContainerError) in [try text(field, value)] } ?? []
        case .decimal(let path):
            guard new[keyPath: path] != old[keyPath: path] else { return nil }
            return try new[keyPath: path].map { value throws(ContainerError) in [try text(field, value)] } ?? []
        case .lyrics, .artwork, .pictures: return nil
        }
    }

    private static func text(_ field: TagField, _ value: Int) throws(ContainerError) -> String {
        let range = field == .year ? 1_000...9_999 : 1...65_535
        guard range.contains(value) else {
            throw .invalidValue(
                "\(field.rawValue) \(value); \(range.lowerBound) to \(range.upperBound) are possible")
        }
        return "\(value)"
    }

    private static func text(_ field: TagField, _ value: Double) throws(ContainerError) -> String {
        switch field {
        case .bpm:
            guard value > 0, value <= 10_000 else {
                throw .invalidValue("\(value) beats per minute; up to 10000 are possible")
            }
            return value == value.rounded() ? "\(Int(value))" : "\(value)"
        case .trackPeak, .albumPeak:
            guard value >= 0, value <= 1_000 else {
                throw .invalidValue("a peak of \(value); 0 to 1000 are possible")
            }
            return String(format: "%.6f", value)
        default:
            guard abs(value) <= 100 else {
                throw .invalidValue("a ReplayGain of \(value) dB; -100 to 100 are possible")
            }
            return String(format: "%.2f dB", value)
        }
    }

    private static func check(_ picture: TagPicture) throws(ContainerError) {
        guard picture.data.count <= TagPicture.sizeLimit else {
            throw .invalidValue("a picture of \(picture.data.count) bytes; \(TagPicture.sizeLimit) are possible")
        }
        guard picture.mimeType != nil else {
            throw .invalidValue("a picture that is neither JPEG, PNG, GIF, WebP, BMP nor TIFF")
        }
        guard !picture.description.utf8.contains(0) else {
            throw .invalidValue("a description of a picture with a zero byte")
        }
    }

    // MARK: Values that depend on the old ones

    /// The new values of a field; `nil` when it does not change.
    ///
    /// Readers show the first value of a field with one text. Further ones stay.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - old: Its values in the file.
    func values(_ field: TagField, old: [String]) -> [String]? {
        guard let new = self[field] else { return nil }
        if case .text = field.path, !new.isEmpty { return new + old.dropFirst() }
        return new
    }

    /// Number and total as one text, such as "7/12"; `nil` when neither changes, empty when both are removed.
    ///
    /// - Parameters:
    ///   - number: The number's field.
    ///   - total: The total's field.
    ///   - old: The text in this tag.
    ///   - hasSeparateTotal: Whether this tag has the total under a name of its own, too.
    func pair(
        _ number: TagField, _ total: TagField, old: String?, hasSeparateTotal: Bool = false
    ) -> [String]? {
        guard self[number] != nil || self[total] != nil else { return nil }
        // A number may be a text, such as the side and place on a record.
        let parts = (old ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let known = { (place: Int, field: TagField) -> String? in
            let text = parts.indices.contains(place) ? String(parts[place]) : ""
            guard text.isEmpty else { return text }
            return field == total && hasSeparateTotal ? nil : count(field)
        }
        let newNumber = self[number].map(\.first) ?? known(0, number)
        guard let newTotal = self[total].map(\.first) ?? known(1, total) else { return newNumber.map { [$0] } ?? [] }
        return ["\(newNumber ?? "")/\(newTotal)"]
    }

    /// A number or a total as the reader shows it before the change; `nil` for none, and for other fields.
    func count(_ field: TagField) -> String? { counts[field].map { "\($0)" } }

    /// The new year; `nil` when the date in the file is in that year, so that its month and day stay. Empty when it is removed.
    func date(old: String?) -> [String]? {
        guard let values = self[.year] else { return nil }
        guard let year = values.first else { return [] }
        return old.flatMap(TagText.year).map { "\($0)" } == year ? nil : [year]
    }
}

/// A change of the pictures of a file.
struct PictureEdit {
    /// The pictures that the reader shows, in the order of the file.
    let old: [TagPicture]
    /// The pictures that it is to show.
    let new: [TagPicture]
    /// Whether pictures that the reader leaves out are removed, too.
    let removesHidden: Bool

    /// The front cover before and after, for tags that have a place for one.
    var frontCover: (old: TagPicture?, new: TagPicture?) {
        (Self.frontCover(of: old), Self.frontCover(of: new))
    }

    private static func frontCover(of pictures: [TagPicture]) -> TagPicture? {
        pictures.first { $0.kind == .frontCover } ?? pictures.first { $0.kind != .backCover }
    }

    /// The back cover before and after, for tags that have a place for one.
    var backCover: (old: TagPicture?, new: TagPicture?) {
        (old.first { $0.kind == .backCover }, new.first { $0.kind == .backCover })
    }

    /// The entries of a container after the change. Entries of pictures that stay, and of pictures that the reader leaves out,
    /// stay byte by byte.
    ///
    /// - Parameters:
    ///   - entries: The entries of pictures in the container, in order.
    ///   - bytes: Bytes that end with the picture of an entry, empty when it has none; `nil` when they cannot be read here, but by
    ///     the reader: such an entry is made anew.
    ///   - make: Creates the entry of a picture.
    func entries<Entry>(
        _ entries: [Entry], bytes: (Entry) throws(ContainerError) -> [UInt8]?,
        make: (TagPicture) throws(ContainerError) -> Entry
    ) throws(ContainerError) -> [Entry] {
        var unmatched = old
        var shown: [(picture: TagPicture, entry: Entry)] = []
        var hidden: [(place: Int, entry: Entry)] = []
        for (place, entry) in entries.enumerated() {
            guard let content = try bytes(entry) else { continue }
            if let match = unmatched.firstIndex(where: { Self.content(content, endsWith: $0.data) }) {
                shown.append((unmatched.remove(at: match), entry))
            } else {
                hidden.append((place, entry))
            }
        }
        var result: [Entry] = []
        for picture in new {
            if let index = shown.firstIndex(where: { $0.picture == picture }) {
                result.append(shown.remove(at: index).entry)
            } else {
                result.append(try make(picture))
            }
        }
        guard !removesHidden else { return result }
        for (place, entry) in hidden { result.insert(entry, at: min(place, result.count)) }
        return result
    }

    private static func content(_ content: [UInt8], endsWith data: Data) -> Bool {
        !data.isEmpty && content.count >= data.count && content[(content.count - data.count)...].elementsEqual(data)
    }
}

/// A change of the lyrics of a file.
struct LyricsEdit {
    let new: [LyricsLanguageVariant]

    var texts: [String] { new.map(\.text) }

    /// The entries of a container after the change. Entries that stay are not made anew, and a changed text takes over the entry of
    /// its language.
    ///
    /// - Parameters:
    ///   - entries: The entries of the container, in order.
    ///   - variant: The lyrics of an entry; `nil` when they cannot be read here.
    ///   - make: Creates an entry from lyrics and the entry that they replace.
    func entries<Entry>(
        _ entries: [Entry], variant: (Entry) -> LyricsLanguageVariant?,
        make: (LyricsLanguageVariant, Entry?) throws(ContainerError) -> Entry
    ) throws(ContainerError) -> [Entry] {
        var unused = entries
        var result = [Entry?](repeating: nil, count: new.count)
        for (place, lyrics) in new.enumerated() {
            guard let index = unused.firstIndex(where: { variant($0) == lyrics }) else { continue }
            result[place] = unused.remove(at: index)
        }
        for (place, lyrics) in new.enumerated() where result[place] == nil {
            let index = unused.firstIndex { variant($0).map { $0.languageCode == lyrics.languageCode } == true }
            result[place] = try make(lyrics, index.map { unused.remove(at: $0) })
        }
        return result.compactMap(\.self)
    }
}
