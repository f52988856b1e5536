import Testing

@testable import DescantDesktop

@Suite("What a server's picture means")
struct ServerPictureTests {
    private var picture: ServerPicture {
        var picture = ServerPicture(process: 7)
        picture.sinks[1] = ServerSink(index: 1, name: "speakers", label: "Speakers", port: nil)
        picture.sinks[2] = ServerSink(index: 2, name: "headphones", label: "Headphones", port: nil)
        picture.defaultSink = "speakers"
        return picture
    }

    private func stream(
        _ index: UInt32, process: Int32?, role: String = "", isCorked: Bool = false, isMuted: Bool = false
    ) -> ServerStream {
        ServerStream(
            index: index, sink: 1, process: process, application: "other", role: role, isCorked: isCorked,
            isMuted: isMuted)
    }

    @Test("Other audio is what another process plays and has not paused")
    func otherAudio() {
        var picture = picture
        picture.streams[1] = stream(1, process: 7)
        picture.streams[2] = stream(2, process: 8, isCorked: true)
        #expect(picture.otherStreams.isEmpty)
        picture.streams[2]?.isCorked = false
        #expect(picture.otherStreams.map(\.index) == [2])
        picture.streams[3] = stream(3, process: nil)
        #expect(picture.otherStreams.map(\.index) == [2, 3], "a stream without a process is not ours")
    }

    @Test("Only music, film and calls of others ask for silence", arguments: ["phone", "music", "video"])
    func foreground(role: String) {
        var picture = picture
        picture.streams[1] = stream(1, process: 8)
        picture.streams[2] = stream(2, process: 7, role: role)
        #expect(!picture.isOtherAudioForegrounded)
        picture.streams[1]?.role = role
        #expect(picture.isOtherAudioForegrounded)
    }

    @Test("A call is a phone stream of another program that sounds")
    func call() {
        var picture = picture
        picture.streams[1] = stream(1, process: 7, role: "phone")
        picture.streams[2] = stream(2, process: 8, role: "phone", isCorked: true)
        picture.streams[3] = stream(3, process: 8, role: "phone", isMuted: true)
        #expect(picture.call == nil)
        picture.streams[2]?.isCorked = false
        #expect(picture.call?.index == 2)
    }

    @Test("The route is where our streams play, else the default, and unknown in the middle of a move")
    func route() {
        var picture = picture
        #expect(picture.route == ["speakers"])
        picture.streams[1] = stream(1, process: 7)
        picture.streams[1]?.sink = 2
        #expect(picture.route == ["headphones"])
        picture.streams[1]?.sink = 99
        #expect(picture.route == nil)
        picture.streams[1] = nil
        picture.defaultSink = "@DEFAULT_SINK@"
        #expect(picture.route == nil)
        picture.defaultSink = nil
        #expect(picture.route == [])
    }
}
