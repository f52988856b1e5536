/// Why a measurement cannot be made.
enum BenchError: Error {
    case usage(String)
    case failed(String)

    var message: String {
        switch self {
        case .usage(let text): text
        case .failed(let text): "descant-bench: \(text)"
        }
    }

    var status: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        }
    }
}
