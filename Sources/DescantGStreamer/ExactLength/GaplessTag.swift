/// Apple's gapless tag "iTunSMPB": delay, padding and length in frames, as hexadecimal text.
struct GaplessTag: Equatable {
    /// Frames that decoding gives before the sound.
    let delay: Int64
    /// Frames of sound.
    let frames: Int64

    /// Finds the tag among a file's; `nil` without one, or with one that is damaged.
    init?(movie: MP4Atom, reader: some ByteReader) {
        guard let meta = movie.find("udta", "meta", in: reader),
            let list = meta.children(reader, skipping: 4).first(where: { $0.kind == "ilst" })
        else { return nil }
        for item in list.children(reader) where item.kind == "----" {
            let parts = item.children(reader)
            guard let name = parts.first(where: { $0.kind == "name" })?.content(reader, limit: 64), name.count >= 4,
                name.dropFirst(4).elementsEqual("iTunSMPB".utf8),
                let data = parts.first(where: { $0.kind == "data" })?.content(reader, limit: 256), data.count > 8
            else { continue }
            self.init(text: String(decoding: data.dropFirst(8), as: UTF8.self))
            return
        }
        return nil
    }

    /// Reads the text: a zero, delay, padding, frames, and more zeros.
    init?(text: String) {
        let fields = text.split { $0 == " " || $0 == "\0" }.prefix(4).map { Int64($0, radix: 16) }
        guard fields.count == 4, let delay = fields[1], let padding = fields[2], let frames = fields[3],
            delay >= 0, padding >= 0, frames > 0, delay < 1 << 32, frames < 1 << 40
        else { return nil }
        self.delay = delay
        self.frames = frames
    }
}
