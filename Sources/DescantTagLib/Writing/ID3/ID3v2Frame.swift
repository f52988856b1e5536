/// A frame of an ID3v2 tag, its content as it lies in the file.
struct ID3v2Frame: Equatable {
    /// Four characters, or three in version 2.2.
    var id: String
    /// The two bytes of flags; version 2.2 has none.
    var flags: [UInt8]
    var content: [UInt8]

    /// Whether the content lies there openly: neither compressed, encrypted nor unsynchronised.
    func isPlain(in version: Int) -> Bool {
        switch version {
        case 3: flags[1] & 0xC0 == 0
        case 4: flags[1] & 0x0F == 0
        default: true
        }
    }

    /// The texts of a text frame, or what follows the encoding byte in another; empty when they cannot be read here.
    func texts(in version: Int) -> [String] {
        guard isPlain(in: version), let encoding = content.first else { return [] }
        return ID3Text.texts(content.dropFirst(), encoding: encoding)
    }
}
