import Testing

@testable import DescantGStreamer

/// The speakers that a sound server is told.
@Suite struct PulseChannelsTests {
    static let maps = [
        (1, "mono"),
        (2, "front-left,front-right"),
        (3, "front-left,front-right,front-center"),
        (4, "front-left,front-right,rear-left,rear-right"),
        (5, "front-left,front-right,front-center,rear-left,rear-right"),
        (6, "front-left,front-right,front-center,lfe,rear-left,rear-right"),
        (7, "front-left,front-right,front-center,lfe,rear-center,side-left,side-right"),
        (8, "front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,side-right"),
    ]

    @Test(arguments: maps) func eachChannelHasItsSpeakerOfTheMix(shape: (Int, String)) {
        #expect(PulseChannels.map(channels: shape.0) == shape.1)
    }

    @Test func channelsWithoutSpeakersAreAuxiliary() {
        #expect(PulseChannels.map(channels: 9) == "aux0,aux1,aux2,aux3,aux4,aux5,aux6,aux7,aux8")
    }
}
