import Foundation
import Testing

@testable import DescantCore

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4's companion document and of NIST's test vectors.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func digestsMatchPublishedValues(_ text: String, _ digest: String) {
        #expect(SHA256.hexadecimal(Data(text.utf8)) == digest)
    }

    @Test func digestOfMillionLettersMatches() {
        let data = Data(repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(SHA256.hexadecimal(data) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// The digest does not depend on where the pieces end.
    @Test func piecesHaveTheDigestOfTheWhole() {
        let data = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 * $0) })
        for piece in [1, 3, 55, 56, 63, 64, 65, 127, 128, 999, 1_000] {
            var digest = SHA256()
            for start in stride(from: 0, to: data.count, by: piece) {
                digest.add(data[start..<min(start + piece, data.count)])
                digest.add(Data())
            }
            #expect(digest.hexadecimal() == SHA256.hexadecimal(data), "pieces of \(piece) bytes")
            #expect(digest.hexadecimal() == SHA256.hexadecimal(data), "asked twice")
        }
    }

    /// Lengths around the padding of a block have different digests, and a slice has the digest of its bytes.
    @Test func lengthsAroundABlock() {
        let digests = (0...200).map { SHA256.hexadecimal(Data(repeating: 7, count: $0)) }
        #expect(Set(digests).count == digests.count)
        let slice = Data(repeating: 7, count: 100)[20..<84]
        #expect(SHA256.hexadecimal(slice) == digests[64])
    }
}
