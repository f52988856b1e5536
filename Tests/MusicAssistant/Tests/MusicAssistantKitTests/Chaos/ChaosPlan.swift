import ClientTestSupport
import MusicAssistantTestServer

/// The random actions of one run; the same for the same seed.
struct ChaosPlan: Sendable {
    /// One call of the client.
    struct Call: Sendable {
        let kind: Int
        let isCancelled: Bool
    }

    /// A disturbance while the calls are under way.
    enum Interruption: Sendable {
        case none, disconnect
        case restart(code: Int?)
    }

    let seed: UInt64
    let commandTimeout: Duration
    let connectTimeout: Duration
    let pingInterval: Duration
    let pongTimeout: Duration
    let keepsMirrors: Bool
    /// The event buffer of a subscriber that does not read.
    let eventBuffer: Int
    let replies: [ReplyFault]
    let connections: [ConnectionFault]
    let calls: [Call]
    let interruption: Interruption
    /// The identifier of the playlist with 1,100 entries, or of the one with two.
    let playlist: String
    /// Whether the client is released instead of disconnected.
    let isDropped: Bool

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        commandTimeout = .milliseconds(Int.random(in: 20...200, using: &random))
        connectTimeout = .milliseconds(Int.random(in: 200...600, using: &random))
        pingInterval = .milliseconds(Int.random(in: 10...100, using: &random))
        pongTimeout = .milliseconds(Int.random(in: 20...100, using: &random))
        keepsMirrors = Bool.random(using: &random)
        eventBuffer = Bool.random(using: &random) ? 16 : 512
        let isBig = Int.random(in: 0..<12, using: &random) == 0
        playlist = isBig && Bool.random(using: &random) ? "1" : "2"
        calls = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            Call(kind: Int.random(in: 0..<7, using: &random), isCancelled: Int.random(in: 0..<3, using: &random) == 0)
        }
        interruption =
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1: .disconnect
            case 2: .restart(code: nil)
            case 3: .restart(code: 1000)
            default: .none
            }
        isDropped = Int.random(in: 0..<8, using: &random) == 0
        replies = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.reply(isBig: isBig, &random) }
        connections = (0..<Int.random(in: 0...2, using: &random)).map { _ in Self.connection(isBig: isBig, &random) }
    }

    /// Large messages are not sent in pieces of a few bytes, which would take seconds and test nothing more.
    private static func connection(isBig: Bool, _ random: inout SeededRandom) -> ConnectionFault {
        let place = Int.random(in: 0...(Bool.random(using: &random) ? 400 : 6000), using: &random)
        let garbage = (0..<Int.random(in: 1...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        let actions: [ConnectionFault.Action] = [
            .cut(afterBytes: place), .cut(afterBytes: place, resets: true), .stall(afterBytes: place),
            .insert(garbage, atByte: place), .flip(atByte: place), .refuse(status: 503),
            .dribble(bytes: isBig ? 65_536 : 1 + place % 50),
        ]
        return ConnectionFault(actions[Int.random(in: 0..<actions.count, using: &random)])
    }

    private static func reply(isBig: Bool, _ random: inout SeededRandom) -> ReplyFault {
        let small = Int.random(in: 1...100, using: &random)
        let noise = ServerEvent("noise", objectID: "x", data: .int(small))
        let actions: [ReplyFault.Action] = [
            .delay(.milliseconds(small)), .drop, .duplicate(times: 1 + small % 4), .reverse(count: 2 + small % 3),
            .result(.int(small)), .error(ServerError(small, nil)), .texts(["{", "\u{0}", #"{"message_id":"x"}"#]),
            .binary([1, 2, 3]), .events(Array(repeating: noise, count: isBig ? 600 : small % 20)),
            .pad(bytes: isBig ? 3 << 20 : small * 20), .fragment(bytes: isBig ? 65_536 : small),
            .close(code: 1000), .close(code: 4000 + small), .cut(afterBytes: small),
        ]
        let action = actions[Int.random(in: 0..<actions.count, using: &random)]
        return ReplyFault(
            action, skips: Int.random(in: 0...2, using: &random), times: Int.random(in: 1...4, using: &random))
    }
}
