internal import DescantContainers
internal import DescantCore

/// Fields as frames. Frames of other fields stay byte by byte.
extension ID3v2Tag {
    /// The names of text frames in version 2.2 and in later ones.
    private static let textFrames: [TagField: (v2: String, v3: String)] = [
        .title: ("TT2", "TIT2"), .artist: ("TP1", "TPE1"), .album: ("TAL", "TALB"), .albumArtist: ("TP2", "TPE2"),
        .composer: ("TCM", "TCOM"), .genre: ("TCO", "TCON"), .bpm: ("TBP", "TBPM"), .titleSort: ("TST", "TSOT"),
        .artistSort: ("TSP", "TSOP"), .albumSort: ("TSA", "TSOA"), .albumArtistSort: ("TS2", "TSO2"),
        .composerSort: ("TSC", "TSOC"),
    ]

    /// The descriptions of user-defined text frames.
    private static let userTexts: [TagField: String] = [
        .trackGain: "REPLAYGAIN_TRACK_GAIN", .trackPeak: "REPLAYGAIN_TRACK_PEAK",
        .albumGain: "REPLAYGAIN_ALBUM_GAIN", .albumPeak: "REPLAYGAIN_ALBUM_PEAK",
        .releaseTrackID: "MusicBrainz Release Track Id", .releaseID: "MusicBrainz Album Id",
        .releaseGroupID: "MusicBrainz Release Group Id", .artistID: "MusicBrainz Artist Id",
        .albumArtistID: "MusicBrainz Album Artist Id",
    ]

    private func name(_ v2: String, _ v3: String) -> String { version == 2 ? v2 : v3 }

    /// Applies the changes.
    mutating func apply(_ change: TagChange) throws(ContainerError) {
        for field in TagField.allCases {
            if let names = Self.textFrames[field], let values = change[field] {
                setText(name(names.v2, names.v3), values)
            } else if let description = Self.userTexts[field], let values = change[field] {
                setUserText(description, values)
            }
        }
        applyDate(change)
        applyPair(change, .track, .trackTotal, name("TRK", "TRCK"))
        applyPair(change, .disc, .discTotal, name("TPA", "TPOS"))
        if let comment = change[.comment]?.first { setComment(comment) }
        if let values = change[.recordingID] { setRecording(values.first) }
        if let lyrics = change.lyrics { try setLyrics(lyrics) }
        if let pictures = change.pictures { try setPictures(pictures) }
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
        replace(with: new) { $0.id == id }
    }

    private func text(_ id: String) -> String? { frames.first { $0.id == id }?.texts(in: version).first }

    private mutating func setUserText(_ description: String, _ values: [String]) {
        let id = name("TXX", "TXXX")
        let content = ID3Text.content([description] + values, version: version)
        let new = values.isEmpty ? [] : [frame(id, content)]
        let version = version
        replace(with: new) {
            $0.id == id && $0.texts(in: version).first?.uppercased() == description.uppercased()
        }
    }

    private mutating func applyDate(_ change: TagChange) {
        let old = ["TDRC", "TYER", "TYE"].compactMap { text($0) }.first
        guard let date = change.date(old: old) else { return }
        let id = version == 4 ? "TDRC" : name("TYE", "TYER")
        let new = [frame(id, ID3Text.content(date, version: version))]
        replace(with: new) { ["TDRC", "TYER", "TYE"].contains($0.id) }
    }

    private mutating func applyPair(_ change: TagChange, _ number: TagField, _ total: TagField, _ id: String) {
        guard let pair = change.pair(number, total, old: text(id)) else { return }
        setText(id, [pair])
    }

    // MARK: Languages

    /// The content of a frame of encoding, language, description and text.
    private func languageContent(_ language: String, _ description: String, _ text: String) -> [UInt8] {
        let encoding = ID3Text.encoding(for: [description, text], version: version)
        return [encoding] + Array(language.utf8) + ID3Text.bytes(description, encoding: encoding, isClosed: true)
            + ID3Text.bytes(text, encoding: encoding, isClosed: false)
    }

    /// Replaces the comment without a description; programs store their own data in the others.
    private mutating func setComment(_ comment: String) {
        let id = name("COM", "COMM")
        let version = version
        func isOld(_ frame: ID3v2Frame) -> Bool {
            guard frame.id == id, frame.isPlain(in: version), frame.content.count > 4 else { return false }
            return ID3Text.texts(frame.content.dropFirst(4), encoding: frame.content[0]).first?.isEmpty == true
        }
        let language = frames.first(where: isOld).map { String(latin1: $0.content[1..<4]) }
        let known = language.flatMap { $0.unicodeScalars.allSatisfy(\.isASCII) ? $0 : nil } ?? "XXX"
        replace(with: [frame(id, languageContent(known, "", comment))], where: isOld)
    }

    private mutating func setLyrics(_ lyrics: [LyricsLanguageVariant]) throws(ContainerError) {
        let id = name("ULT", "USLT")
        var new: [ID3v2Frame] = []
        for variant in lyrics {
            let language = variant.languageCode ?? "XXX"
            guard language.utf8.count == 3, language.utf8.allSatisfy({ (0x41...0x7A).contains($0) }) else {
                throw .invalidValue("lyrics in \"\(language)\"; ID3 takes three letters of ISO 639-2, such as eng")
            }
            new.append(frame(id, languageContent(language, "", variant.text)))
        }
        replace(with: new) { $0.id == id }
    }

    // MARK: Bytes

    private mutating func setRecording(_ identifier: String?) {
        let id = name("UFI", "UFID")
        let owner = Array("http://musicbrainz.org".utf8) + [0]
        let new = identifier.map { [frame(id, owner + Array($0.utf8))] } ?? []
        replace(with: new) { $0.id == id && $0.content.starts(with: owner) }
    }

    private mutating func setPictures(_ change: TagChange.Pictures) throws(ContainerError) {
        let id = name("PIC", "APIC")
        let version = version
        switch change {
        case .all(let pictures):
            var new: [ID3v2Frame] = []
            for picture in pictures { new.append(try frame(of: picture, id)) }
            replace(with: new) { $0.id == id }
        case .frontCover(let cover):
            replace(with: [try frame(of: cover, id)]) {
                $0.id == id && $0.isPlain(in: version) && Self.kind(of: $0, version) == 3
            }
        }
    }

    private static func kind(of frame: ID3v2Frame, _ version: Int) -> UInt8? {
        if version == 2 { return frame.content.dropFirst(4).first }
        guard let end = frame.content.dropFirst().firstIndex(of: 0) else { return nil }
        return frame.content.dropFirst(end + 1).first
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
