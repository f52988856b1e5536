public import Foundation

/// Pictures.
extension MusicAssistantClient {
    /// The address of a picture.
    ///
    /// Pictures that only the server can reach, and pictures of a certain size, are loaded from the server's proxy. The
    /// address has the host that the client was created with. No connection is needed.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - size: Its width and height in pixels; 0 for the original size.
    /// - Returns: An address for HTTP; nil when the client's own address or the picture's is not valid.
    public nonisolated func imageURL(for image: MediaImage, size: Int = 0) -> URL? {
        let size = max(0, size)
        // The server's word for it: a path such as that of a file leads to this machine instead.
        if image.isRemotelyAccessible, size == 0, let url = URL(string: image.path), url.host() != nil,
            ["http", "https"].contains(url.scheme?.lowercased())
        {
            return url
        }
        guard let proxy = core.webAddress?.appending(path: "imageproxy") else { return nil }
        if let id = image.proxyId {
            return proxy.appending(path: id).appending(queryItems: [URLQueryItem(name: "size", value: "\(size)")])
        }
        // The server decodes the path twice.
        guard var parts = URLComponents(url: proxy, resolvingAgainstBaseURL: true),
            let once = Self.encoded(image.path), let twice = Self.encoded(once),
            let provider = Self.encoded(image.provider)
        else { return nil }
        parts.percentEncodedQuery = "path=\(twice)&provider=\(provider)&size=\(size)"
        return parts.url
    }

    /// The address of a picture of an item: its own, that of its album, or that of its artist.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - type: `thumb`, `fanart`, `logo` or another kind; a missing thumb is replaced by a landscape.
    ///   - size: Its width and height in pixels; 0 for the original size.
    /// - Returns: An address for HTTP; nil when there is no such picture.
    public nonisolated func imageURL(for item: MediaItem, type: String = "thumb", size: Int = 0) -> URL? {
        item.image(type: type).flatMap { imageURL(for: $0, size: size) }
    }

    /// The address of a picture of an item of a queue.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - type: `thumb`, `fanart`, `logo` or another kind.
    ///   - size: Its width and height in pixels; 0 for the original size.
    /// - Returns: An address for HTTP; nil when there is no such picture.
    public nonisolated func imageURL(for item: QueueItem, type: String = "thumb", size: Int = 0) -> URL? {
        let own = item.image.flatMap { $0.type == type ? $0 : nil }
        return (item.mediaItem?.image(type: type) ?? own).flatMap { imageURL(for: $0, size: size) }
    }

    private static func encoded(_ text: String) -> String? {
        text.addingPercentEncoding(withAllowedCharacters: plain)
    }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/")
}

extension MediaItem {
    /// The preferred picture of an item; for tracks, the album's picture comes first.
    ///
    /// - Parameter type: `thumb`, `fanart`, `logo` or another kind; a missing thumb is replaced by a landscape.
    /// - Returns: The picture; nil when there is none.
    public func image(type: String = "thumb") -> MediaImage? {
        let found =
            own(type) ?? album?.image(type: type) ?? metadata?.images.first { $0.type == type }
            ?? artists.lazy.compactMap { $0.image(type: type) }.first
        return found ?? (type == "thumb" ? image(type: "landscape") : nil)
    }

    /// The picture of an item in short form.
    private func own(_ type: String) -> MediaImage? {
        let image: MediaImage? = model("image")
        return image?.type == type ? image : nil
    }
}
