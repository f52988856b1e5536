/// The errors that libFLAC reported between two blocks.
enum FLACComplaint {
    case noFrameBegins
    case wrongHeader
    case wrongChecksum
    case other

    var text: String {
        switch self {
        case .noFrameBegins: "no frame begins there"
        case .wrongHeader: "a frame header is wrong"
        case .wrongChecksum: "a frame's checksum is wrong"
        case .other: "a frame cannot be decoded"
        }
    }
}

/// The ranges of frames that could not be decoded, for the error at the end of the stream.
struct FLACDefects {
    private struct Place {
        var start: Int64
        var frames: Int64
        let complaint: FLACComplaint?
    }

    private var places: [Place] = []
    private var unnamed = 0
    private var total: Int64 = 0

    private static let limit = 5

    var isEmpty: Bool { total == 0 }

    /// Adds silent frames; consecutive ones become one range.
    mutating func add(_ frames: Int64, at start: Int64, _ complaint: FLACComplaint?) {
        total += frames
        if let last = places.last, last.start + last.frames == start {
            places[places.count - 1].frames += frames
        } else if places.count < Self.limit {
            places.append(Place(start: start, frames: frames, complaint: complaint))
        } else {
            unnamed += 1
        }
    }

    /// "4096 frames are missing: 4096 at 1.500 s (frame 66150; a frame's checksum is wrong)"; empty without any.
    ///
    /// - Parameters:
    ///   - separator: The text before it.
    ///   - name: Names a position.
    func text(after separator: String, _ name: (Int64) -> String) -> String {
        guard !isEmpty else { return "" }
        let named = places.map {
            "\($0.frames) at \(name($0.start)), because \($0.complaint?.text ?? "they are not there")"
        }
        return separator + "\(total) frames are missing and silent: " + named.joined(separator: "; ")
            + (unnamed > 0 ? "; and \(unnamed) more places" : "")
    }
}
