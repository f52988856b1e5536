import DescantCore
import DescantGStreamer
import DescantTesting
import Foundation
import Testing

/// Decodes a file from end to end and from many places, and compares.
struct DecoderFormatCheck {
    private let format: CodedFile
    private let directory: TemporaryDirectory
    private let url: URL
    private let reference: SampleBuffer
    private let sourceFrames: Int

    init(_ format: CodedFile, seconds: Double) throws {
        self.format = format
        directory = try TemporaryDirectory(label: "descant-formats")
        url = try format.encode(seconds: seconds, in: directory.url)
        reference = try format.reference(of: url)
        sourceFrames = Int((seconds * Double(format.sampleRate)).rounded())
    }

    func run() throws {
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: url)
        defer { decoder.close(handle) }
        let info = try decoder.info(handle)
        #expect(info.sampleRate == Double(format.sampleRate))
        #expect(info.channels == format.channels)
        let whole = try read(decoder, handle, frames: .max)
        let length = format.referenceLength == .source ? sourceFrames : reference.frameCount
        #expect(whole.frameCount == length, "decoded length")
        #expect(
            !format.announces || abs(info.duration * info.sampleRate - Double(whole.frameCount)) < 0.5,
            "announced \(info.duration * info.sampleRate) frames, decoded \(whole.frameCount)")
        compare(whole, with: reference, from: 0, "decoded from the start")
        for share in [0.5, 0.9, 0.0, 0.33, 0.02, 0.7] {
            let frame = Int(share * Double(whole.frameCount)) + 7
            try decoder.seek(handle, toSeconds: Double(frame) / info.sampleRate)
            let part = try read(decoder, handle, frames: 3_000)
            #expect(part.frameCount == min(3_000, whole.frameCount - frame))
            compare(part, with: whole, from: frame, "after a seek to frame \(frame)")
        }
        try decoder.seek(handle, toSeconds: info.duration)
        #expect(try read(decoder, handle, frames: 100).frameCount == 0)
    }

    private func compare(_ part: SampleBuffer, with whole: SampleBuffer, from frame: Int, _ what: Comment) {
        let expected = whole.slice(frame..<frame + part.frameCount).samples
        var maximum: Float = 0
        for (one, other) in zip(part.samples, expected) { maximum = max(maximum, abs(one - other)) }
        switch format.fidelity {
        case .exact: #expect(maximum == 0, what)
        case .within(let limit): #expect(maximum <= limit, what)
        }
    }

    private func read(_ decoder: GStreamerDecoder, _ handle: DecodeHandle, frames: Int) throws -> SampleBuffer {
        let channels = format.channels
        var buffer = [Float](repeating: 0, count: 4_096 * channels)
        var samples: [Float] = []
        while samples.count / channels < frames {
            let wanted = min(4_096, frames - samples.count / channels)
            let read = try buffer.withUnsafeMutableBufferPointer { buffer in
                try buffer.baseAddress.map { try decoder.read(handle, into: $0, maxFrames: wanted) } ?? 0
            }
            if read == 0 { break }
            samples.append(contentsOf: buffer[..<(read * channels)])
        }
        return SampleBuffer(format: .init(sampleRate: format.sampleRate, channels: channels), samples: samples)
    }
}
