internal import DescantCore
internal import Foundation

/// The MPRIS metadata of a track.
enum MPRISMetadata {
    /// The metadata without a track. Some clients crash without an identifier, so it has one.
    static let none: [String: BusValue] = ["mpris:trackid": .path(MPRISName.noTrack)]

    /// Returns the metadata of a track.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - cover: The address of its cover.
    static func of(_ track: NowPlayingTrack, cover: URL? = nil) -> [String: BusValue] {
        var entries: [String: BusValue] = ["mpris:trackid": .path(MPRISPath.track(track.id))]
        entries["mpris:length"] = track.duration.flatMap(microseconds).map { .int64($0) }
        entries["mpris:artUrl"] = text(cover?.withoutSecrets.absoluteString)
        entries["xesam:url"] = text(track.url?.withoutSecrets.absoluteString)
        entries["xesam:title"] = text(track.title)
        entries["xesam:artist"] = texts(track.artists)
        entries["xesam:album"] = text(track.album)
        entries["xesam:albumArtist"] = texts(track.albumArtists)
        entries["xesam:genre"] = texts(track.genres)
        entries["xesam:trackNumber"] = number(track.trackNumber)
        entries["xesam:discNumber"] = number(track.discNumber)
        entries["xesam:contentCreated"] = track.year.flatMap(date)
        return entries
    }

    /// Converts seconds to the unit of MPRIS; `nil` for negative, infinite or too large numbers.
    static func microseconds(_ seconds: Double) -> Int64? {
        guard seconds.isFinite, seconds >= 0, seconds < 9e12 else { return nil }
        return Int64((seconds * 1_000_000).rounded())
    }

    private static func text(_ text: String?) -> BusValue? {
        guard let text, !text.isEmpty else { return nil }
        return .string(text.busText)
    }

    private static func texts(_ texts: [String]) -> BusValue? {
        let texts = texts.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : .strings(texts.map(\.busText))
    }

    private static func number(_ number: Int?) -> BusValue? { number.flatMap { Int32(exactly: $0) }.map { .int32($0) } }

    /// The first day of a year in ISO 8601; clients do not read shorter forms.
    private static func date(_ year: Int) -> BusValue? {
        guard (1...9999).contains(year) else { return nil }
        let digits = String(year)
        return .string(String(repeating: "0", count: 4 - digits.count) + digits + "-01-01T00:00:00")
    }
}
