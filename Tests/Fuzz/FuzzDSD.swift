import Descant
import Foundation

/// Opens a file as DSF or DFF, decodes it and seeks in it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    // The decoder reads files; this folder is in memory.
    let file = URL(fileURLWithPath: "/dev/shm/descant-fuzz-\(getpid())")
    guard (try? Data(bytes: data, count: size).write(to: file)) != nil else { fatalError("no file can be written") }
    defer { unlink(file.path) }
    // Errors are what a damaged file is to end in.
    guard let reader = try? DSDReader(url: file, outputMultiple: nil) else { return 0 }
    var block = [Float](repeating: 0, count: 512 * reader.info.channels)
    for _ in 0..<8 { _ = try? reader.read(into: &block, maxFrames: 512) }
    // A header may announce years of sound.
    for frame in [0, Int(data[size - 1]) * size, .max, .min] {
        try? reader.seek(toFrame: frame)
        _ = try? reader.read(into: &block, maxFrames: 512)
    }
    return 0
}
