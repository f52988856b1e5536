internal import CTagLibShim
internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Fields as frames. Frames of other fields stay byte by byte.
extension ID3v2Tag {
    /// The names of text frames in version 2.2 and in later ones.
    private static let textFrames: [TagField: (v2: String, v3: String)] = [
        .title: ("TT2", "TIT2"), .artists: ("TP1", "TPE1"), .album: ("TAL", "TALB"), .albumArtists: ("TP2", "TPE2"),
        .composers: ("TCM", "TCOM"), .genres: ("TCO", "TCON"), .bpm: ("TBP", "TBPM"), .titleSort: ("TST", "TSOT"),
        .artistSort: ("TSP", "TSOP"), .albumSort: ("TSA", "TSOA"), .albumArtistSort: ("TS2", "TSO2"),
        .composerSort: ("TSC", "TSOC"),
    ]

    /// The names of version 2.2 that iTunes leaves in tags of version 2.3, and what they are called there.
    private static let longNames: [String: String] = {
        let others = [
            ("TYE", "TYER"), ("TDA", "TDAT"), ("TIM", "TIME"), ("TRK", "TRCK"), ("TPA", "TPOS"), ("TXX", "TXXX"),
            ("COM", "COMM"), ("ULT", "USLT"), ("UFI", "UFID"), ("PIC", "APIC"),
        ]
        return Dictionary(uniqueKeysWithValues: textFrames.values.map { ($0.v2, $0.v3) } + others)
    }()

    /// The descriptions of new user-defined text frames; the reader may know further ones.
    private static let userTexts: [TagField: String] = [
        .trackGain: "REPLAYGAIN_TRACK_GAIN", .trackPeak: "REPLAYGAIN_TRACK_PEAK",
        .albumGain: "REPLAYGAIN_ALBUM_GAIN", .albumPeak: "REPLAYGAIN_ALBUM_PEAK",
        .releaseTrackID: "MusicBrainz Release Track Id", .releaseID: "MusicBrainz Album Id",
        .releaseGroupID: "MusicBrainz Release Group Id", .artistIDs: "MusicBrainz Artist Id",
        .albumArtistIDs: "MusicBrainz Album Artist Id",
    ]

    private func name(_ v2: String, _ v3: String) -> String { version == 2 ? v2 : v3 }

    /// The name of a frame in the version of its tag.
    private static func name(of frame: ID3v2Frame) -> String {
        frame.id.hasSuffix("\0") ? longNames[String(frame.id.dropLast())] ?? frame.id : frame.id
    }

    /// Inflates the content of a compressed frame as the reader does; `nil` when that is not possible.
    private static func inflate(_ content: [UInt8]) -> [UInt8]? {
        var plain: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard dtl_inflate(content, content.count, &plain, &count) == 0 else { return nil }
        defer { free(plain) }
        return Array(UnsafeMutableBufferPointer(start: plain, count: count))
    }

    /// Applies the changes.
    mutating func apply(_ edits: TagEdits) throws(ContainerError) {
        for field in TagField.allCases {
            guard let values = edits[field] else { continue }
            if let names = Self.textFrames[field] {
                let id = name(names.v2, names.v3)
                setText(id, edits.values(field, old: texts(id)) ?? values)
            }
            if field.hasFreeName || field == .albumArtistSort || field == .composerSort { setUserText(field, values) }
        }
        applyDate(edits)
        applyPair(edits, .trackNumber, .trackTotal, name("TRK", "TRCK"))
        applyPair(edits, .discNumber, .discTotal, name("TPA", "TPOS"))
        if edits[.trackGain]?.isEmpty == true { removeVolume(of: "TRACK") }
        if edits[.albumGain]?.isEmpty == true { removeVolume(of: "ALBUM") }
        if let comment = edits[.comment] { setComment(comment.first) }
        if let values = edits[.recordingID] { setRecording(values.first) }
        if let lyrics = edits.lyrics { try setLyrics(lyrics) }
        if let pictures = edits.pictures { try setPictures(pictures) }
    }

    // MARK: Texts

    /// Replaces frames, or appends the new ones.
    private mutating func replace(with new: [ID3v2Frame], where isOld: (ID3v2Frame) -> Bool) {
        let place = frames.firstIndex(where: isOld) ?? frames.count
        frames.removeAll(where: isOld)
        frames.insert(contentsOf: new, at: Swift.min(place, frames.count))
    }

    private mutating func setText(_ id: String, _ values: [String]) {
        let new = values.isEmpty ? [] : [frame(id, ID3Text.content(values, version: version))]
        replace(with: new) { Self.name(of: $0) == id }
    }

    private func texts(_ id: String) -> [String] {
        frames.filter { Self.name(of: $0) == id }.flatMap { $0.texts(in: version, inflate: Self.inflate) }
    }

    /// Replaces the user-defined text frames of a field, or removes them where it has no such frame.
    private mutating func setUserText(_ field: TagField, _ values: [String]) {
        let id = name("TXX", "TXXX")
        var new: [ID3v2Frame] = []
        if let description = Self.userTexts[field], !values.isEmpty {
            new = [frame(id, ID3Text.content([description] + values, version: version))]
        }
        let version = version
        replace(with: new) {
            guard Self.name(of: $0) == id else { return false }
            return $0.texts(in: version, inflate: Self.inflate).first.flatMap(TagField.init(key:)) == field
        }
    }

    /// Removes the gain that the reader shows where there is no user-defined text.
    private mutating func removeVolume(of name: String) {
        let version = version
        frames.removeAll { frame in
            guard frame.id == "RVA2", let content = frame.plainContent(in: version, inflate: Self.inflate) else {
                return false
            }
            return String(latin1: content.prefix(name.utf8.count)).uppercased() == name
        }
    }

    private mutating func applyDate(_ edits: TagEdits) {
        let old = ["TDRC", "TYER", "TYE"].compactMap { texts($0).first }.first
        guard let date = edits.date(old: old) else { return }
        let id = version == 4 ? "TDRC" : name("TYE", "TYER")
        let new = date.isEmpty ? [] : [frame(id, ID3Text.content(date, version: version))]
        // Day and time mean nothing without their year.
        frames.removeAll { ["TDAT", "TIME", "TDA", "TIM"].contains(Self.name(of: $0)) }
        replace(with: new) { ["TDRC", "TYER", "TYE"].contains(Self.name(of: $0)) }
    }

    private mutating func applyPair(_ edits: TagEdits, _ number: TagField, _ total: TagField, _ id: String) {
        guard let pair = edits.pair(number, total, old: texts(id).first) else { return }
        setText(id, pair)
    }

    // MARK: Languages

    /// The content of a frame of encoding, language, description and text.
    private func languageContent(_ language: String, _ description: String, _ text: String) -> [UInt8] {
        let encoding = ID3Text.encoding(for: [description, text], version: version)
        return [encoding] + Array(language.utf8) + ID3Text.bytes(description, encoding: encoding, isClosed: true)
            + ID3Text.bytes(text, encoding: encoding, isClosed: false)
    }

    /// Language, description and text of a comment or of lyrics; `nil` when they cannot be read.
    private static func parts(
        _ frame: ID3v2Frame, _ version: Int
    ) -> (language: String, description: String, text: String)? {
        guard let content = frame.plainContent(in: version, inflate: inflate), content.count > 4 else { return nil }
        let texts = ID3Text.texts(content.dropFirst(4), encoding: content[0])
        return (String(latin1: content[1..<4]), texts.first ?? "", texts.dropFirst().first ?? "")
    }

    /// Replaces the first comment without a description; programs store their own data in the others. Without a comment, removes
    /// all that a reader could show.
    private mutating func setComment(_ comment: String?) {
        let id = name("COM", "COMM")
        let version = version
        func parts(_ frame: ID3v2Frame) -> (language: String, description: String, text: String)? {
            Self.name(of: frame) == id ? Self.parts(frame, version) : nil
        }
        guard let comment else {
            // iTunes keeps numbers of its own in comments that are named like this.
            frames.removeAll { parts($0).map { !$0.description.hasPrefix("iTun") } == true }
            return
        }
        let place = frames.firstIndex { parts($0)?.description.isEmpty == true }
        let language = place.flatMap { parts(frames[$0])?.language }
        let known = language.flatMap { $0.unicodeScalars.allSatisfy(\.isASCII) ? $0 : nil } ?? "XXX"
        let new = frame(id, languageContent(known, "", comment))
        if let place { frames[place] = new } else { frames.append(new) }
    }

    private mutating func setLyrics(_ lyrics: LyricsEdit) throws(ContainerError) {
        let id = name("ULT", "USLT")
        let version = version
        func isOld(_ frame: ID3v2Frame) -> Bool { Self.name(of: frame) == id && !frame.isEncrypted(in: version) }
        let new = try lyrics.entries(
            frames.filter(isOld),
            variant: { frame in
                Self.parts(frame, version).map { parts in
                    let text = parts.text.trimmingCharacters(in: Self.blanks)
                    return LyricsLanguageVariant(
                        languageCode: parts.language.trimmingCharacters(in: Self.blanks), text: text)
                }
            },
            make: { variant, old throws(ContainerError) in
                let language = variant.languageCode ?? "XXX"
                guard language.utf8.count == 3, language.utf8.allSatisfy({ (0x41...0x7A).contains($0) }) else {
                    throw .invalidValue("lyrics in \"\(language)\"; ID3 takes three letters of ISO 639-2, such as eng")
                }
                let description = old.flatMap { Self.parts($0, version)?.description } ?? ""
                return frame(id, languageContent(language, description, variant.text))
            })
        replace(with: new, where: isOld)
    }

    /// What the reader removes at the ends of texts.
    private static let blanks = CharacterSet(charactersIn: " \t\n\u{B}\u{C}\r\0")

    // MARK: Bytes

    private mutating func setRecording(_ identifier: String?) {
        let id = name("UFI", "UFID")
        let owner = Array("http://musicbrainz.org".utf8) + [0]
        let new = identifier.map { [frame(id, owner + Array($0.utf8))] } ?? []
        let version = version
        replace(with: new) {
            guard Self.name(of: $0) == id else { return false }
            return $0.plainContent(in: version, inflate: Self.inflate)?.starts(with: owner) == true
        }
    }

    private mutating func setPictures(_ pictures: PictureEdit) throws(ContainerError) {
        let id = name("PIC", "APIC")
        let version = version
        let new = try pictures.entries(
            frames.filter { Self.name(of: $0) == id },
            bytes: { $0.isEncrypted(in: version) ? [] : $0.plainContent(in: version, inflate: Self.inflate) },
            make: { picture throws(ContainerError) in try frame(of: picture, id) })
        replace(with: new) { Self.name(of: $0) == id }
    }

    private func frame(of picture: TagPicture, _ id: String) throws(ContainerError) -> ID3v2Frame {
        let encoding = ID3Text.encoding(for: [picture.description], version: version)
        var content = [encoding]
        if version == 2 {
            switch picture.mimeType {
            case "image/jpeg": content += Array("JPG".utf8)
            case "image/png": content += Array("PNG".utf8)
            default: throw .unsupported("ID3v2.2 has no place for a picture of type \(picture.mimeType ?? "unknown")")
            }
        } else {
            content += Array((picture.mimeType ?? "").utf8) + [0]
        }
        content.append(UInt8(picture.kind.rawValue))
        content += ID3Text.bytes(picture.description, encoding: encoding, isClosed: true)
        return frame(id, content + picture.data)
    }
}
