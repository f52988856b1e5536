/// Apple's gapless tag "iTunSMPB": delay, padding and length in frames, as hexadecimal text.
package struct GaplessTag: Equatable {
    /// The number of decoded frames before the sound, below 2^32.
    package let delay: Int64
    /// The number of decoded frames behind the sound, below 2^32.
    package let padding: Int64
    /// The number of frames of sound, below 2^40.
    package let frames: Int64

    /// Finds the tag in a file; `nil` without one, or with one that is damaged.
    ///
    /// - Parameters:
    ///   - movie: The "moov" atom.
    ///   - bytes: The file.
    package init?(movie: MP4Atom, in bytes: some RandomAccessBytes<Never>) {
        guard let meta = movie.find("udta", "meta", in: bytes),
            let list = meta.children(in: bytes, skipping: 4).first(where: { $0.name == "ilst" })
        else { return nil }
        for item in list.children(in: bytes) where item.name == "----" {
            let parts = item.children(in: bytes)
            guard let name = parts.first(where: { $0.name == "name" })?.content(of: bytes, limit: 64), name.count >= 4,
                name.dropFirst(4).elementsEqual("iTunSMPB".utf8),
                let data = parts.first(where: { $0.name == "data" })?.content(of: bytes, limit: 256), data.count > 8
            else { continue }
            self.init(text: String(decoding: data.dropFirst(8), as: UTF8.self))
            return
        }
        return nil
    }

    /// Reads the text: a zero, delay, padding, frames, and more zeros.
    package init?(text: String) {
        let fields = text.split { $0 == " " || $0 == "\0" }.prefix(4).map { Int64($0, radix: 16) }
        guard fields.count == 4, let delay = fields[1], let padding = fields[2], let frames = fields[3],
            delay >= 0, padding >= 0, frames > 0, delay < 1 << 32, padding < 1 << 32, frames < 1 << 40
        else { return nil }
        self.delay = delay
        self.padding = padding
        self.frames = frames
    }

    /// Whether the numbers are those of a track. A tag that was copied from another file, or that stayed when a file was cut, is not
    /// about it.
    ///
    /// - Parameters:
    ///   - duration: The sum of the durations of all packets. The last one may be announced as shorter than it is.
    ///   - packet: The frames of a packet.
    package func fits(duration: Int64, packet: Int64) -> Bool {
        abs(delay + frames + padding - duration) <= 2 * packet
    }
}
