import Foundation

/// Reads a text as a playlist of each format, writes what was read, and reads that again: it has to be the same tracks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
    let folder = URL(fileURLWithPath: "/music")
    let m3u = M3UPlaylist.entries(in: text, relativeTo: folder)
    let copy = M3UPlaylist.entries(in: M3UPlaylist.text(of: m3u, relativeTo: folder), relativeTo: folder)
    guard copy.count == m3u.count else { fatalError("M3U: of \(m3u.count) tracks \(copy.count) are read back") }
    let pls = PLSPlaylist.entries(in: text, relativeTo: folder)
    let second = PLSPlaylist.entries(in: PLSPlaylist.text(of: pls, relativeTo: folder), relativeTo: folder)
    guard second.count == pls.count else { fatalError("PLS: of \(pls.count) tracks \(second.count) are read back") }
    let cue = (try? CUESheet.entries(in: text) { folder.appendingPathComponent($0) }) ?? []
    _ = XSPFPlaylist.text(of: m3u + pls + cue, relativeTo: folder)
    return 0
}
