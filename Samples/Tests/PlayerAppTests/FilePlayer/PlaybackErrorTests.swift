import Descant
import Foundation
import Testing

@testable import PlayerApp

struct PlaybackErrorTests {
    private static let url = URL(fileURLWithPath: "/m/a.flac")

    @Test(arguments: [
        (CoreError.notFound("/m/a.flac: No such file"), PlaybackError.fileNotFound(url)),
        (.unsupported("no decoder"), .unsupportedFormat("no decoder")), (.decodeError("bad"), .failedToDecode("bad")),
        (.ioError("denied"), .failedToOpenFile("denied")), (.invalidState("closed"), .invalidState("closed")),
        (.invalidArgument("-1"), .invalidArgument("-1")),
    ])
    func errorsOfTheLibraryAreTranslated(_ error: CoreError, _ expected: PlaybackError) {
        #expect(PlaybackError(error, of: Self.url, while: .opening) == expected)
        #expect(!expected.description.isEmpty && expected.localizedDescription == expected.description)
    }

    @Test func anErrorOfThePlayingIsTheOutputs() {
        #expect(PlaybackError(CoreError.ioError("lost"), of: Self.url, while: .playing) == .outputError("lost"))
    }

    @Test func otherErrorsKeepTheirText() {
        let other = PlaybackError(CocoaError(.fileNoSuchFile), of: Self.url, while: .opening)
        #expect(other == .coreError(CocoaError(.fileNoSuchFile).localizedDescription))
        #expect(PlaybackError(PlaybackError.failedToDecode("x"), of: Self.url, while: .playing) == .failedToDecode("x"))
    }
}
