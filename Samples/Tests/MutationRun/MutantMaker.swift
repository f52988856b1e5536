import DescantTestSupport
import DescantTesting
import Foundation

/// Creates damaged files from whole ones; the same number always gives the same file.
///
/// `FileMutator` makes random damage. This type also replaces numbers in headers by extreme ones and repairs checksums, so
/// that the damage reaches the code that runs after the checksum test.
struct MutantMaker {
    /// The whole files, sorted by name.
    let seeds: [URL]

    /// Reads the folder of whole files.
    ///
    /// - Parameter folder: A folder with only files to damage.
    init(folder: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        seeds = names.sorted().map { folder.appendingPathComponent($0) }
        guard !seeds.isEmpty else { throw Failure("\(folder.path) has no files") }
    }

    /// The whole file of a mutant, and the mutant's number among those of this file.
    func origin(of index: Int) -> (seed: URL, number: Int) { (seeds[index % seeds.count], index / seeds.count) }

    /// "tone.flac#17".
    func name(of index: Int) -> String { "\(origin(of: index).seed.lastPathComponent)#\(origin(of: index).number)" }

    /// The damaged file's bytes.
    func mutant(_ index: Int) throws -> Data {
        let (seed, number) = origin(of: index)
        let start = seed.lastPathComponent.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        var random = SeededGenerator(seed: start &+ UInt64(number) &* 0x9e37_79b9)
        let whole = try Data(contentsOf: seed)
        if random.next() % 4 == 0 {
            var mutator = FileMutator(SeededGenerator(seed: random.next()))
            return OggChecksums.repaired(mutator.mutate(whole), if: random.next() % 2 == 0)
        }
        var bytes = [UInt8](whole)
        for _ in 0..<Int.random(in: 1...2, using: &random) where bytes.count > 16 { damage(&bytes, &random) }
        return OggChecksums.repaired(Data(bytes), if: random.next() % 8 != 0)
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        switch random.next() % 8 {
        case 0: write(extreme(&random), at: place(in: bytes, near: 64, &random), &bytes, &random)
        case 2: write(extreme(&random), at: place(in: bytes, near: 4_096, &random), &bytes, &random)
        case 3: write(extreme(&random), at: bytes.count - 1 - place(in: bytes, near: 4_096, &random), &bytes, &random)
        case 1, 4, 5:
            let marks = Self.marks(in: bytes)
            guard let mark = marks.randomElement(using: &random) else { return }
            write(extreme(&random), at: mark + 4 + Int(random.next() % 36), &bytes, &random)
        case 6:
            // The sequence number, the serial number and the position of an Ogg page.
            let pages = OggChecksums.pages(in: bytes)
            guard let page = pages.randomElement(using: &random) else { return }
            write(
                extreme(&random), at: page.lowerBound + (random.next() % 2 == 0 ? 6 : 5 + Int(random.next() % 16)),
                &bytes, &random)
        default:
            for _ in 0..<4 {
                bytes[place(in: bytes, near: 512, &random)] ^= 1 << UInt8(random.next() % 8)
            }
        }
    }

    private func place(in bytes: [UInt8], near: Int, _ random: inout SeededGenerator) -> Int {
        Int(random.next() % UInt64(min(near, bytes.count)))
    }

    /// A number near the limits of 8, 16, 32 or 64 bits, or near a power of two.
    private func extreme(_ random: inout SeededGenerator) -> UInt64 {
        switch random.next() % 6 {
        case 0: 0
        case 1: .max
        case 2: 0x7fff_ffff_ffff_ffff
        case 3: random.next()
        default: (1 << (random.next() % 64)) &+ random.next() % 3 &- 1
        }
    }

    private func write(_ number: UInt64, at offset: Int, _ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let size = [1, 2, 2, 4, 4, 4, 8].randomElement(using: &random) ?? 4
        let isBigEndian = random.next() % 2 == 0
        // Uses the highest bits of the number, so that all ones stay all ones, and the sign bit stays the sign bit.
        let value = random.next() % 2 == 0 ? number >> UInt64(64 - size * 8) : number
        for index in 0..<size {
            let place = offset + (isBigEndian ? size - 1 - index : index)
            guard bytes.indices.contains(place) else { continue }
            bytes[place] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
        }
    }

    /// The offsets of the four-letter codes of chunks and atoms.
    private static func marks(in bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        var word: UInt32 = 0
        for (index, byte) in bytes.enumerated() {
            word = word << 8 | UInt32(byte)
            if index >= 3, names.contains(word) { found.append(index - 3) }
        }
        return found
    }

    private static let names: Set<UInt32> = Set(
        """
        RIFF WAVE fmt  data LIST fact FORM COMM SSND FRM8 FVER PROP CHNL CMPR DSD  caff desc kuki pakt chan .snd wvpk TTA1 fLaC \
        OggS Opus vorb Xing Info LAME ftyp moov mvhd trak tkhd edts elst mdia mdhd minf stbl stsd mp4a alac dOps esds stts stsc \
        stsz stco co64 sgpd sbgp udta meta ilst free mdat APET ID3\u{4} TAG
        """.split(whereSeparator: \.isWhitespace).map { text in
            Array((text + "    ").utf8.prefix(4)).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        })
}

/// An error in the arguments or in a run.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
