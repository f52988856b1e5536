import Foundation
import Testing

@testable import DescantCore

/// What helpers send to their hosts.
@Suite struct IsolatedTagsTests {
    private func bytes(_ json: String, _ pictures: [UInt8] = [], length: UInt64? = nil) -> Data {
        let head = withUnsafeBytes(of: (length ?? UInt64(json.utf8.count)).littleEndian, Array.init)
        return Data(head + Array(json.utf8) + pictures)
    }

    private static let empty = #""replayGain":{},"sortNames":{},"musicBrainz":{}"#

    @Test func tagsArriveAsTheyWere() throws {
        var tags = TagBundle(title: "Ä\u{0}\n\"", artist: "A", year: 2_000, artworkData: Data([1, 2]))
        tags.pictures = [
            TagPicture(data: Data(), kind: .backCover), TagPicture(data: Data([1, 2]), description: "front"),
            TagPicture(data: Data(repeating: 7, count: 100_000)),
        ]
        tags.bpm = .infinity
        tags.technical = TechnicalProperties()
        tags.technical?.bitrate = .max
        let sent = try #require(try IsolatedTags(tags).bytes())
        // The front cover is sent once.
        #expect(sent.count < 101_000)
        #expect(IsolatedTags(bytes: sent)?.tags == tags)
        // A slice counts its bytes from elsewhere.
        #expect(IsolatedTags(bytes: (Data([9]) + sent).dropFirst())?.tags == tags)
        tags.artworkData = Data([3])
        #expect(IsolatedTags(bytes: try #require(try IsolatedTags(tags).bytes()))?.tags == tags)
        #expect(
            try #require(IsolatedTags(bytes: bytes(#"{"tags":{\#(Self.empty)},"lengths":[]}"#))).tags == TagBundle())
    }

    @Test func whatIsTooLongIsNotSent() throws {
        var tags = TagBundle(title: "a")
        tags.pictures = (0..<7).map { TagPicture(data: Data(repeating: $0, count: 10_000_000)) }
        #expect(try IsolatedTags(tags).bytes() == nil)
        #expect(
            try IsolatedTags(TagBundle(title: String(repeating: "a", count: IsolatedTags.maximumText))).bytes() == nil)
    }

    /// A helper that was taken over may send anything.
    @Test func whatNoHelperSendsIsRefused() {
        let picture = #"{"data":"","kind":3,"description":""}"#
        func tags(_ more: String, _ pictures: String = "") -> String {
            #"{"tags":{\#(Self.empty)\#(pictures)},\#(more)}"#
        }
        let nested = String(repeating: "[", count: 1_000_000) + String(repeating: "]", count: 1_000_000)
        for hostile in [
            Data(), Data(count: 7), Data(count: 8), bytes(tags(#""lengths":[]"#), length: .max), bytes(nested),
            bytes(tags(#""lengths":[]"#), length: 1 << 63), bytes(#"{"tags":\#(nested),"lengths":[]}"#),
            bytes(tags(#""lengths":[2]"#), [1]), bytes(tags(#""lengths":[-1]"#), [1]),
            bytes(tags(#""lengths":[1,\#(Int.max)]"#), [1]), bytes(tags(#""lengths":[]"#), [1]),
            bytes(tags(#""lengths":[1],"artwork":1"#), [1]), bytes(tags(#""lengths":[1],"artwork":-1"#), [1]),
            bytes(tags(#""lengths":[]"#, #","pictures":[\#(picture)]"#)), Data("bplist00".utf8),
        ] {
            #expect(IsolatedTags(bytes: hostile) == nil, "\(hostile.count) bytes: \(hostile.prefix(40) as NSData)")
        }
    }

    @Test func everyErrorFitsIntoAMessage() {
        for text in ["a" + String(repeating: "\u{301}", count: 40_000), String(repeating: "\u{1}", count: 40_000)] {
            let failure = HelperFailure(CoreError.decodeError(text))
            #expect(HelperMessage(.failed, payload: failure.payload).bytes != nil)
            #expect(failure.error.code == "decodeError")
        }
    }
}
