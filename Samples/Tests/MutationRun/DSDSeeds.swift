import Foundation

/// Small DSF and DFF files: 20 ms of a square wave's one-bit pattern in stereo, 2.8224 MHz.
enum DSDSeeds {
    static func write(to folder: URL) throws {
        try dsf.write(to: folder.appendingPathComponent("tone.dsf"))
        try dff.write(to: folder.appendingPathComponent("tone.dff"))
    }

    private static let bytesPerChannel = 8_192

    /// Half a period with more ones, then half a period with more zeros.
    private static func byte(_ index: Int) -> UInt8 { index / 200 % 2 == 0 ? 0b0111_0110 : 0b1001_0001 }

    private static var dsf: Data {
        let block = 4_096
        let sound = (0..<bytesPerChannel / block).reduce(into: Data()) { data, number in
            let bytes = Data((0..<block).map { byte(number * block + $0) })
            data += bytes + bytes
        }
        var data = Data("DSD ".utf8) + little(28, 8) + little(92 + sound.count, 8) + little(92 + sound.count, 8)
        data += Data("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4)
        data += little(2_822_400, 4) + little(1, 4) + little(bytesPerChannel * 8, 8) + little(block, 4) + little(0, 4)
        data += Data("data".utf8) + little(12 + sound.count, 8) + sound
        return data + id3
    }

    private static var dff: Data {
        var properties = Data("SND ".utf8) + chunk("FS  ", big(2_822_400, 4))
        properties += chunk("CHNL", big(2, 2) + Data("SLFTSRGT".utf8))
        properties += chunk("CMPR", Data("DSD ".utf8) + Data([14]) + Data("not compressed".utf8))
        let sound = (0..<bytesPerChannel).reduce(into: Data()) { $0 += [byte($1), byte($1)] }
        let body =
            Data("DSD ".utf8) + chunk("FVER", big(0x0105_0000, 4)) + chunk("PROP", properties) + chunk("DSD ", sound)
        return chunk("FRM8", body + chunk("ID3 ", id3))
    }

    private static var id3: Data {
        let text = Data([0]) + Data("Square".utf8)
        let frame = Data("TIT2".utf8) + big(text.count, 4) + Data([0, 0]) + text
        return Data("ID3".utf8) + Data([3, 0, 0]) + big(frame.count, 4) + frame
    }

    private static func chunk(_ name: String, _ body: Data) -> Data {
        Data(name.utf8) + big(body.count, 8) + body + Data(count: body.count % 2)
    }

    private static func little(_ value: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    private static func big(_ value: Int, _ size: Int) -> Data { Data(little(value, size).reversed()) }
}
