/// The position of a connection in a transcript.
struct TranscriptFollower {
    /// The next action of the server.
    enum Move {
        case send(JSON)
        case close(code: Int)
    }

    private let steps: [TranscriptStep]
    private var position = 0
    /// The client's message identifiers by those of the transcript.
    private var identifiers: [String: JSON] = [:]

    init(_ transcript: Transcript) { steps = transcript.steps }

    /// The steps before the first message of the client.
    mutating func opening() -> [Move] { serverMoves() }

    /// The steps after a command; `nil` when the transcript has another step next.
    mutating func moves(after name: String, messageID: JSON) -> [Move]? {
        guard position < steps.count, case .clientSends(name, let recorded) = steps[position] else { return nil }
        identifiers[recorded] = .string(messageID.string ?? messageID.text)
        position += 1
        return serverMoves()
    }

    /// The steps after text that is not a command; `nil` when the transcript has another step next.
    mutating func movesAfterText() -> [Move]? {
        guard position < steps.count, case .clientSendsText = steps[position] else { return nil }
        position += 1
        return serverMoves()
    }

    private mutating func serverMoves() -> [Move] {
        var moves: [Move] = []
        while position < steps.count {
            switch steps[position] {
            case .serverSends(var message):
                if let recorded = message["message_id"]?.string, let own = identifiers[recorded] {
                    message["message_id"] = own
                }
                moves.append(.send(message))
            case .close(let code): moves.append(.close(code: code))
            case .clientSends, .clientSendsText: return moves
            }
            position += 1
        }
        return moves
    }
}
