import DescantCore
import Foundation
import Testing

@Suite struct CoreErrorTests {
    private static let all: [(CoreError, code: String, text: String)] = [
        (.invalidArgument("x"), "invalidArgument", "Invalid argument: x"),
        (.invalidState("x"), "invalidState", "Invalid state: x"),
        (.notFound("x"), "notFound", "Not found: x"),
        (.ioError("x"), "ioError", "I/O error: x"),
        (.decodeError("x"), "decodeError", "Decode error: x"),
        (.unsupported("x"), "unsupported", "Unsupported: x"),
    ]

    @Test func codesAndTexts() {
        for (error, code, text) in Self.all {
            #expect(error.code == code)
            #expect(error.message == "x")
            #expect("\(error)" == text)
            #expect((error as any Error).localizedDescription == text)
        }
    }

    @Test func anIOErrorHasTheTextOfItsCause() {
        struct Full: LocalizedError { var errorDescription: String? { "the disk is full" } }
        #expect(CoreError.ioError(underlying: Full()).message == "the disk is full")
        #expect("\(CoreError.ioError(underlying: Full()))" == "I/O error: the disk is full")
    }

    @Test func anIOErrorHasTheTextOfAFoundationError() {
        struct Unplugged: CustomNSError {
            var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "the drive is unplugged"] }
        }
        let system = NSError(domain: "Drive", code: 42, userInfo: [NSLocalizedDescriptionKey: "the drive is gone"])
        #expect("\(CoreError.ioError(underlying: system))" == "I/O error: the drive is gone")
        #expect("\(CoreError.ioError(underlying: Unplugged()))" == "I/O error: the drive is unplugged")
        let missing = CocoaError(.fileReadNoSuchFile)
        #expect(CoreError.ioError(underlying: missing).message == (missing as any Error).localizedDescription)
    }

    @Test func anIOErrorWithoutATextHasItsDescription() {
        enum Fault: Error { case noDisk }
        #expect("\(CoreError.ioError(underlying: Fault.noDisk))" == "I/O error: noDisk")
    }

    @Test func equality() {
        for (index, one) in Self.all.enumerated() {
            for (other, two) in Self.all.enumerated() { #expect((one.0 == two.0) == (index == other)) }
        }
        #expect(CoreError.ioError("one") == .ioError("another"))
        #expect(CoreError.notFound("one") != .notFound("another"))
    }

    @Test(arguments: [
        (ENOENT, "notFound"), (ENOTDIR, "notFound"), (EACCES, "ioError"), (EPERM, "ioError"), (EIO, "ioError"),
    ])
    func systemErrors(_ number: Int32, _ code: String) {
        let error = CoreError.opening("/music/song.flac", number)
        #expect(error.code == code)
        #expect(error.message.hasPrefix("/music/song.flac "))
    }

    @Test func streamInfoIsChecked() throws {
        let good = StreamInfo(duration: .infinity, sampleRate: 44_100, channels: 8, bitDepth: 1)
        try good.validate()
        for change in [
            { $0.duration = -1 }, { $0.duration = .nan }, { $0.sampleRate = 0 }, { $0.sampleRate = .infinity },
            { $0.channels = 0 }, { $0.channels = 9 }, { $0.bitDepth = 0 }, { $0.bitDepth = 65 },
        ] as [(inout StreamInfo) -> Void] {
            var bad = good
            change(&bad)
            #expect(throws: CoreError.self) { try bad.validate() }
        }
    }
}
