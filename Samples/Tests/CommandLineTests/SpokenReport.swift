/// The JSON object of `speak --json`, declared again here, because the format is a contract for other programs.
struct SpokenReport: Decodable {
    struct Mark: Decodable {
        let kind: String
        let text: String
        let start: Int
        let end: Int
        let frame: Int64
        let isEstimated: Bool
    }

    let engine: String
    let sampleRate: Int
    let frames: Int64
    let marks: [Mark]
    let warnings: [String]

    var words: [Mark] { marks.filter { $0.kind == "word" } }
}
