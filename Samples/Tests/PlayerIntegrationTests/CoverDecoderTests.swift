import DescantTestSupport
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

struct CoverDecoderTests {
    /// 8 × 8 red pixels.
    private let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAABAAAAAQBPJcTWAAAAEklEQVR4nGP4y8CAFWEXHbQSAPZwP0G2GkFNAAAAAElFTkSuQmCC"
    )
    /// 16 × 16 blue pixels.
    private let jpeg = Data(
        base64Encoded:
            "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0"
            + "NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xAGiAAABBQEBAQEBAQAAAAAAAAAAAQIDBAUG"
            + "BwgJCgsBAAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKCxAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhBy"
            + "JxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1"
            + "dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6e"
            + "rx8vP09fb3+Pn6EQACAQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS8BVictEKFiQ0"
            + "4SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeIiYqSk5SVlpeYmZ"
            + "qio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2dri4+Tl5ufo6ery8/T19vf4+fr/wAARCAAQABADASIA"
            + "AhEAAxEA/9oADAMBAAIRAxEAPwDnKKKK+4Pnz//Z")

    private func color(_ data: Data?) -> CoverArt.Color? {
        data.flatMap { CoverArt(decoding: $0) }?.color(columns: 0..<1, rows: 0..<1)
    }

    @Test func picturesAreDecoded() throws {
        let red = try #require(color(png))
        #expect(red.red > 240 && red.green < 10 && red.blue < 10)
        let blue = try #require(color(jpeg))
        #expect(abs(Int(blue.red) - 48) < 12 && abs(Int(blue.green) - 96) < 12 && abs(Int(blue.blue) - 192) < 12)
    }

    @Test func otherDataAndHugePicturesAreRefused() throws {
        #expect(color(Data()) == nil)
        #expect(color(Data("GIF89a".utf8)) == nil)
        // Changed to 60,000 × 60,000 pixels.
        var huge = try #require(jpeg)
        let frame = try #require(huge.range(of: Data([0xFF, 0xC0])))
        huge.replaceSubrange(frame.lowerBound + 5..<frame.lowerBound + 9, with: [0xEA, 0x60, 0xEA, 0x60])
        #expect(color(huge) == nil)
    }

    @Test func damagedPicturesDoNoHarm() throws {
        var mutator = FileMutator(SeededGenerator(seed: 11))
        var decoded = 0
        for picture in [try #require(png), try #require(jpeg)] {
            for _ in 0..<1_000 where CoverArt(decoding: mutator.mutate(picture)) != nil { decoded += 1 }
        }
        #expect(decoded > 0 && decoded < 2_000)
    }
}
