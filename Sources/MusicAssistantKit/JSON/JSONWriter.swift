/// Writes JSON text. Numbers that JSON does not have (not a number, infinity) are written as `null`.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    let sortsMembers: Bool

    init(sortsMembers: Bool = false) { self.sortsMembers = sortsMembers }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(raw: "null")
        case .bool(let value): write(raw: value ? "true" : "false")
        case .int(let value): write(raw: String(value))
        case .double(let value): write(raw: value.isFinite ? value.description : "null")
        case .string(let value): write(string: value)
        case .array(let elements): write(array: elements)
        case .object(let members): write(object: members)
        }
    }

    mutating func write(raw text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write(raw: "\\\"")
            case UInt8(ascii: "\\"): write(raw: "\\\\")
            case 0x0A: write(raw: "\\n")
            case 0x0D: write(raw: "\\r")
            case 0x09: write(raw: "\\t")
            case ..<0x20: write(raw: "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(array elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(object members: [String: JSONValue]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in sortsMembers ? members.sorted(by: { $0.key < $1.key }) : Array(members) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(string: name)
            bytes.append(UInt8(ascii: ":"))
            write(value)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
