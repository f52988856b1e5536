import Foundation
import PlayerApp
import Testing

struct CUESheetTests {
    private let folder = URL(fileURLWithPath: "/music")

    private func entries(_ text: String) throws -> [PlaylistEntry] {
        try CUESheet.entries(in: text) { folder.appendingPathComponent($0) }
    }

    private func reason(_ text: String) -> String {
        let error = #expect(throws: CUESheetError.self) { try entries(text) }
        return error.map { "\($0.line): \($0.reason)" } ?? ""
    }

    @Test func tracksOfOneFileAreReadWithTheirNames() throws {
        let read = try entries(
            """
            \u{FEFF}REM GENRE Jazz\r
            PERFORMER "The Band"\r
            TITLE "An "Album""\r
            FILE "album #1.flac" WAVE\r
              TRACK 01 AUDIO\r
                TITLE "First, & foremost"\r
                INDEX 01 00:00:00\r
              TRACK 02 AUDIO\r
                TITLE "Second"\r
                PERFORMER "A Guest"\r
                PREGAP 00:02:00\r
                INDEX 00 03:20:00\r
                INDEX 01 03:21:37\r
                INDEX 02 03:50:00\r
              track 3 audio\r
                index 1 5:00:00
            """)
        #expect(read.map(\.title) == ["First, & foremost", "Second", "Track 3"])
        #expect(read.map(\.artist) == ["The Band", "A Guest", "The Band"])
        #expect(read.map(\.album) == Array(repeating: #"An "Album""#, count: 3))
        #expect(read.allSatisfy { $0.url.path == "/music/album #1.flac" })
        // The pause before the second track belongs to the first one, and the silence of PREGAP to none.
        let second = 201 + 37.0 / 75
        #expect(read.map(\.part?.start) == [0, 201.493333333, 300])
        #expect(read.map(\.part?.end) == [201.493333333, 300, nil])
        #expect(read[0].duration == second && read[2].duration == nil)
        #expect(read[0].url.absoluteString.hasSuffix("#t=0,201.493333333&id=First%2C%20%26%20foremost"))
    }

    @Test func tracksMayLieInSeveralFiles() throws {
        let read = try entries(
            """
            FILE one.wav WAVE
            TRACK 01 AUDIO
            INDEX 01 00:00:00
            TRACK 02 AUDIO
            INDEX 00 02:00:00
            FILE two.wav WAVE
            INDEX 01 00:00:00
            TRACK 03 MODE1/2352
            INDEX 01 04:00:00
            """)
        // A whole file is not a part, and a data track only ends the one before it.
        #expect(read.map(\.url.lastPathComponent) == ["one.wav", "two.wav"])
        #expect(read[0].part == nil && read[1].part == TrackPart(start: 0, end: 240))
    }

    @Test func errorsNameTheLineAndTheRemedy() {
        let start = "FILE a.wav WAVE\nTRACK 01 AUDIO\n"
        #expect(
            reason(start + "INDEX 01 3:99:00")
                == "3: \"3:99:00\" is not a time; write minutes:seconds:frames, such as 03:25:74")
        #expect(reason(start + "INDEX 01 00:00:75").hasPrefix("3: \"00:00:75\" is not a time"))
        #expect(reason(start + "INDEX 01 99999999999:00:00").contains("is not a time"))
        #expect(reason("TRACK 01 AUDIO\nINDEX 01 00:00:00") == "2: INDEX 01 comes before FILE")
        #expect(
            reason(start + "INDEX 01 00:10:00\nTRACK 02 AUDIO\nINDEX 01 00:09:74")
                == "5: the track begins before the one above it")
        #expect(
            reason("FILE a WAVE\n" + String(repeating: "TRACK 1 AUDIO\n", count: 1_000)) == "1001: more than 999 tracks"
        )
        #expect(reason(String(repeating: "FILE a WAVE\n", count: 1_000)) == "1000: more than 999 files")
    }

    @Test func aTrackWithoutABeginningIsLeftOut() throws {
        #expect(
            try entries("FILE a.wav WAVE\nTRACK 01 AUDIO\nTRACK 02 AUDIO\nINDEX 01 00:01:00").map(\.title) == [
                "Track 02"
            ])
        #expect(try entries("TITLE x\n\n\nhello").isEmpty)
    }

    @Test(arguments: ["m3u", "pls", "xspf"]) func partsAreKeptInOtherPlaylists(_ format: String) throws {
        let parts = try entries("FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 01:00:00")
        let text =
            switch format {
            case "m3u": M3UPlaylist.text(of: parts, relativeTo: folder)
            case "pls": PLSPlaylist.text(of: parts, relativeTo: folder)
            default: XSPFPlaylist.text(of: parts, relativeTo: folder)
            }
        #expect(text.contains("file:///music/a.wav#t=0,60&") && text.contains("file:///music/a.wav#t=60&"))
    }
}
