public import Foundation

/// A part of a sound file that is a track of its own, as a CUE sheet gives it. Its URL is that of the file with a temporal media
/// fragment, such as `album.flac#t=60,125.5&id=Title`.
public struct TrackPart: Sendable, Hashable {
    /// Seconds from the beginning of the file.
    public let start: TimeInterval
    /// Seconds from the beginning of the file; `nil` for its end.
    public let end: TimeInterval?

    /// Creates a part.
    ///
    /// - Parameters:
    ///   - start: Seconds from the beginning of the file.
    ///   - end: Seconds from the beginning of the file; `nil` for its end.
    public init(start: TimeInterval, end: TimeInterval?) {
        self.start = start
        self.end = end
    }

    /// Reads the part that a URL of ``url(of:title:)`` names; `nil` for a whole file.
    ///
    /// - Parameter url: The URL.
    public init?(of url: URL) {
        guard let time = url.fragment?.split(separator: "&").first, time.hasPrefix("t=") else { return nil }
        let bounds = time.dropFirst(2).split(separator: ",").map { Double($0) }
        guard (1...2).contains(bounds.count), let start = bounds[0] else { return nil }
        self.init(start: start, end: bounds.count == 2 ? bounds[1] : nil)
    }

    /// The URL of the part.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - title: The title, which remote controls show.
    public func url(of file: URL, title: String?) -> URL {
        var parts = URLComponents(url: file, resolvingAgainstBaseURL: true)
        let time = [start, end].compactMap { $0 }.map(Self.text).joined(separator: ",")
        let name = title.flatMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
        parts?.percentEncodedFragment = "t=" + time + (name.map { "&id=" + $0 } ?? "")
        return parts?.url ?? file
    }

    /// Nanoseconds are less than half a frame at every sample rate.
    private static func text(_ seconds: TimeInterval) -> String {
        var text = String(format: "%.9f", seconds)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
