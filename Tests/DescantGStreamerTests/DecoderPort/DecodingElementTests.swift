import DescantCore
import Testing

@testable import DescantGStreamer

/// Descant chooses the element that decodes a codec, and names a package when there is none.
struct DecodingElementTests {
    init() throws { try GStreamerRuntime.start() }

    @Test(arguments: DecoderRanking.choices.map(\.format))
    func chosenDecoderIsUsed(format: String) throws {
        let choice = try #require(DecoderRanking.choices.first { $0.format == format })
        #expect(try GStreamerInventory.hasElement(choice.element), "\(choice.element) comes with what is set up")
        #expect(DecoderRanking.elements(for: format).first == choice.element)
    }

    @Test(arguments: ["audio/x-ac3, channels=(int)77", "audio/x-wavpack, rate=(int)1000, framed=(boolean)true"])
    func streamThatAnInstalledDecoderRefusesNeedsNoPackage(format: String) {
        let error = ErrorMapping.missing([MissingCodec(description: "decoder", format: format)], name: "odd.file")
        #expect(error.code == "unsupported")
        #expect(error.message.hasPrefix("odd.file "))
        #expect(!error.message.contains("install it"), "\(error.message)")
        #expect(!error.message.contains("apt-get"), "\(error.message)")
    }

    @Test func codecWithoutADecoderNamesItsPackage() {
        let codec = MissingCodec(description: "SID decoder", format: "audio/x-sid")
        #expect(
            ErrorMapping.missing([codec], name: "tune.sid").message.contains(
                "apt-get install gstreamer1.0-plugins-ugly"))
    }

    @Test func installedPackageIsNotRecommended() {
        let codec = MissingCodec(description: "decoder of another world", format: "audio/x-other-world")
        #expect(!ErrorMapping.missing([codec], name: "tune").message.contains("apt-get"))
    }

    @Test(arguments: ["application/x-ass", "text/x-raw", "application/xml"])
    func missingTextDecoderIsIgnored(format: String) {
        #expect(!MissingCodec(description: "decoder", format: format).concernsSound)
    }
}
