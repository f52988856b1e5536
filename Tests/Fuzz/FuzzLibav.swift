import Descant
import DescantContainers
import Foundation

/// Opens a file with each reader of the bundle for libavcodec, reads all packets and seeks; nothing is decoded.
///
/// A changed page of Ogg has a wrong checksum and is skipped. So the file is read a second time, with checksums that are right.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 1 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    openFile(of: bytes)
    let sealed = withRightChecksums(bytes)
    if sealed != bytes { openFile(of: sealed) }
    return 0
}

/// The limit of positions and lengths, in frames.
private let limit: Int64 = 1 << 40
/// The number of packets that are read behind a seek.
private let packetsBehindSeek = 16

private func openFile(of bytes: [UInt8]) {
    // The readers read files; this folder is in memory.
    let url = URL(fileURLWithPath: "/dev/shm/descant-fuzz-\(getpid())")
    guard (try? Data(bytes).write(to: url)) != nil else { fatalError("no file can be written") }
    defer { unlink(url.path) }
    if let input = try? ProbeInput(file: url) { _ = EncodedFormat.score(input) }
    let readers: [(WindowedFile) throws -> (any PacketSource)?] = [
        { try MP4File($0) }, { try OggFile($0) }, { try MPEGFile($0) },
    ]
    for open in readers {
        // Errors are what a damaged file is to end in.
        guard let file = try? WindowedFile(url), let source = try? open(file) else { continue }
        readAndSeek(source, in: bytes)
    }
}

private func readAndSeek(_ source: any PacketSource, in bytes: [UInt8]) {
    let stream = source.stream
    expect((1...1_536_000).contains(stream.sampleRate), "the sample rate is possible")
    expect((1...8).contains(stream.channels), "the number of channels is possible")
    expect((0..<limit).contains(stream.lead) && (1..<limit).contains(stream.frames), "the sound has a possible length")
    var (packets, total) = (0, 0)
    while let (_, size) = next(of: source, bytes.count) {
        packets += 1
        total += size
        expect(packets <= bytes.count, "there are no more packets than bytes")
        // The tables of MP4 may name bytes twice.
        expect(total <= bytes.count || source is MP4File, "every byte is read once")
    }
    let middle = stream.lead + stream.frames * Int64(bytes[bytes.count - 1]) / 256
    for position in [0, stream.lead, middle, stream.lead + stream.frames - 1] {
        guard (try? source.seek(to: position)) != nil, let (first, _) = next(of: source, bytes.count) else { continue }
        if let start = first.position, !first.isInterrupted, position >= stream.lead {
            expect(start <= position, "decoding begins at or before the position of a seek")
        }
        for _ in 0..<packetsBehindSeek where next(of: source, bytes.count) == nil { break }
    }
}

/// The next packet and its size in bytes; `nil` at the end.
private func next(of source: any PacketSource, _ fileSize: Int) -> (packet: CodedPacket, size: Int)? {
    var taken: (packet: CodedPacket, size: Int)?
    guard (try? source.next({ taken = ($0, $1.count) })) == true else { return nil }
    guard let found = taken else { fatalError("broken promise: a packet is given") }
    expect(found.size <= fileSize, "a packet lies in the file")
    expect((0...8_192).contains(found.packet.duration), "a packet has a possible duration")
    if let position = found.packet.position {
        // The beginning of an Ogg stream may be cut off.
        let first = source is OggFile ? -limit : 0
        expect((first..<limit).contains(position), "a packet has a possible position")
    }
    return found
}

/// Stops the fuzzer when a promise of the readers does not hold.
private func expect(_ holds: Bool, _ promise: String) {
    if !holds { fatalError("broken promise: \(promise)") }
}

/// The bytes with the right checksum in every whole page of Ogg.
private func withRightChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var (sealed, offset) = (bytes, 0)
    while offset < sealed.count {
        guard sealed[offset] == UInt8(ascii: "O"), let page = OggPage(sealed, at: offset),
            page.size <= sealed.count - offset
        else {
            offset += 1
            continue
        }
        let body = offset + page.headerSize
        let header = page.bytes(sealing: sealed[body..<offset + page.size])
        sealed.replaceSubrange(offset..<body, with: header)
        offset += page.size
    }
    return sealed
}
