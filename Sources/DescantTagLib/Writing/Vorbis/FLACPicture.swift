internal import DescantCore

/// A picture as FLAC keeps it, RFC 9639, 8.8.
enum FLACPicture {
    static func bytes(_ picture: TagPicture) -> [UInt8] {
        let type = Array((picture.mimeType ?? "").utf8)
        let description = Array(picture.description.utf8)
        var bytes: [UInt8] = []
        bytes.appendBig(picture.kind.rawValue, 4)
        bytes.appendBig(type.count, 4)
        bytes += type
        bytes.appendBig(description.count, 4)
        bytes += description
        // Width, height, depth and number of colours: 0 stands for unknown.
        bytes += [UInt8](repeating: 0, count: 16)
        bytes.appendBig(picture.data.count, 4)
        return bytes + picture.data
    }

    static func isFrontCover(_ bytes: some Sequence<UInt8>) -> Bool { bytes.prefix(4).elementsEqual([0, 0, 0, 3]) }
}
