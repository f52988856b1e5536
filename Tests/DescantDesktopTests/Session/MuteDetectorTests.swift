import DescantCore
import Testing

@testable import DescantDesktop

@Suite("Mutes of a server during calls")
struct MuteDetectorTests {
    private let us = ProcessName(identifier: 7, host: nil)
    private let second: UInt64 = 1_000_000_000

    private func ours(_ index: UInt32 = 1, isMuted: Bool, isCorked: Bool = false) -> ServerChange {
        .stream(
            ServerStream(
                index: index, sink: 1, owner: us, application: "us", role: "music", isCorked: isCorked,
                isMuted: isMuted))
    }

    private var phone: ServerChange {
        .stream(
            ServerStream(
                index: 9, sink: 1, owner: nil, application: "phone", role: "phone", isCorked: false, isMuted: false))
    }

    /// Applies changes one after the other.
    ///
    /// - Returns: The changes after which an interruption began (+) or ended (-).
    private func edges(_ changes: [ServerChange], step: UInt64 = 1_000_000) -> [String] {
        var snapshot = ServerSnapshot(process: us)
        var detector = MuteDetector()
        return changes.enumerated().compactMap { index, change in
            snapshot.apply(change)
            switch detector.update(with: snapshot, now: 10 * second + UInt64(index) * step) {
            case .interruptionBegan: return "+\(index)"
            case .interruptionEnded: return "-\(index)"
            default: return nil
            }
        }
    }

    @Test("A mute during a call is an interruption until the call ends, in any order of events")
    func muted() {
        #expect(edges([ours(isMuted: false), phone, ours(isMuted: true), .streamRemoved(9)]) == ["+2", "-3"])
        #expect(edges([ours(isMuted: false), ours(isMuted: true), phone, .streamRemoved(9)]) == ["+2", "-3"])
        #expect(edges([phone, ours(isMuted: false), ours(isMuted: true), ours(isMuted: false)]) == ["+2", "-3"])
    }

    @Test("A mute long before the call is not an interruption")
    func mutedBefore() {
        let changes = [ours(isMuted: true), phone, .streamRemoved(9)]
        #expect(edges(changes, step: 2 * second) == [])
    }

    @Test("The end of an own stream does not end the interruption")
    func ourEnd() {
        #expect(
            edges([phone, ours(isMuted: true), .streamRemoved(1), ours(2, isMuted: true), .streamRemoved(9)])
                == ["+1", "+3", "-4"], "the second stream is muted as well")
    }

    @Test("A pause of the stream is not an interruption")
    func corked() {
        #expect(edges([ours(isMuted: false), phone, ours(isMuted: false, isCorked: true)]) == [])
    }
}
