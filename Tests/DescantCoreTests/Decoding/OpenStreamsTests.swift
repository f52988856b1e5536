import DescantCore
import Testing

@Suite struct OpenStreamsTests {
    @Test func aStreamIsFoundUntilItIsRemoved() throws {
        let streams = OpenStreams<String>()
        let (first, second) = (streams.add("first"), streams.add("second"))
        #expect(try streams[first] == "first" && streams[second] == "second")
        #expect(streams.remove(first) == "first")
        #expect(streams.remove(first) == nil)
        #expect(throws: CoreError.self) { try streams[first] }
        #expect(streams.removeAll() == ["second"])
        let error = #expect(throws: CoreError.self) { try streams[second] }
        #expect(error?.code == "invalidState")
    }
}
