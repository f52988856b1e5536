internal import DescantCore

/// One message in the journal's native protocol.
struct JournalEntry {
    /// A datagram has a limit, and a log is no archive: longer values are cut.
    static let valueLimit = 8 * 1024

    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - name: Capitals, digits and underscores.
    ///   - value: Any text.
    mutating func add(_ name: String, _ value: String) {
        var text = Array(value.utf8.prefix(Self.valueLimit))
        if text.count < value.utf8.count { text += Array(" …".utf8) }
        bytes += Array(name.utf8)
        if text.contains(0x0A) {
            // A value of several lines has its length before it: 64 bits, the lowest byte first.
            bytes.append(0x0A)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(text.count) >> (8 * UInt64($0))) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += text
        bytes.append(0x0A)
    }

    /// The journal's name of a field: `routeOutputs` becomes `ROUTE_OUTPUTS`.
    static func name(of field: LogField) -> String {
        var name = ""
        for scalar in field.rawValue.unicodeScalars {
            switch scalar {
            case "A"..."Z":
                if !name.isEmpty { name.append("_") }
                name.unicodeScalars.append(scalar)
            case "a"..."z", "0"..."9": name.append(String(scalar).uppercased())
            default: name.append("_")
            }
        }
        // A leading underscore is the journal's own, a leading digit is refused.
        guard let first = name.first, first.isLetter else { return "FIELD_" + name }
        return name
    }
}
