/// The bytes behind a feed, before a pipeline asks for them.
struct FeedBytes: ByteReader {
    let size: Int64
    private let feed: any ByteStream

    /// `nil` for a feed that cannot jump or does not know its size.
    init?(_ feed: any ByteStream) {
        guard feed.isSeekable, let size = feed.size else { return nil }
        self.size = size
        self.feed = feed
    }

    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        feed.move(to: offset)
        return feed.next(Int(min(Int64(count), size - offset)))
    }
}
