import Testing

@testable import DescantGStreamer

/// When a stream has left the device that was chosen for it.
@Suite struct ChosenDeviceTests {
    /// The device of a stream and the server's default, after one of them has changed.
    private typealias Change = (present: String, standard: String)

    private func leaves(_ chosen: String?, _ changes: [Change]) -> [Bool] {
        var device = ChosenDevice(chosen)
        return changes.map { device.isLeft(for: $0.present, default: $0.standard) }
    }

    @Test func streamThatGoesWithTheDefaultLeavesOnce() {
        #expect(
            leaves("speakers", [("speakers", "speakers"), ("headphones", "headphones"), ("headphones", "headphones")])
                == [false, true, false])
    }

    @Test func newDefaultMayBeKnownBeforeTheStreamIsMoved() {
        #expect(
            leaves("speakers", [("speakers", "speakers"), ("speakers", "headphones"), ("headphones", "headphones")])
                == [false, false, true])
    }

    @Test func deviceThatBecomesTheDefaultLaterIsLeftWithIt() {
        #expect(
            leaves("speakers", [("speakers", "headphones"), ("speakers", "speakers"), ("headphones", "headphones")])
                == [false, false, true])
    }

    @Test func streamThatAMixerProgramMovesHasNotLeft() {
        #expect(leaves("speakers", [("speakers", "headphones"), ("headphones", "headphones")]) == [false, false])
        #expect(
            leaves("speakers", [("speakers", "speakers"), ("headphones", "speakers"), ("headphones", "headphones")])
                == [false, false, false])
    }

    @Test func streamWithoutAChosenDeviceNeverLeaves() {
        #expect(leaves(nil, [("speakers", "speakers"), ("headphones", "headphones")]) == [false, false])
    }
}
