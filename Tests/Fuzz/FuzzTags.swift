import DescantCore
import Foundation

/// The endings that decide a format where the content does not, in the order of the last byte of an input.
private let endings = [
    "mp3", "flac", "m4a", "ogg", "opus", "wav", "aiff", "wv", "ape", "mpc", "tta", "aac", "wma", "dsf", "dff", "oga",
]
private let folder = "/dev/shm/descant-fuzz-\(getpid())"

/// Reads the tags of a file and changes them: the last byte decides its name, the one before it the change.
///
/// A change that succeeds reads as it was given, and changes nothing the second time; one that fails leaves the file as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 2 else { return 0 }
    let file = Data(bytes: data, count: size - 2)
    mkdir(folder, 0o700)
    let url = URL(fileURLWithPath: "\(folder)/file.\(endings[Int(data[size - 1]) % endings.count])")
    guard (try? file.write(to: url)) != nil else { fatalError("\(url.path) cannot be written") }
    defer { unlink(url.path) }
    guard let tags = result(of: { try TagLibReader().read(url: url) }) else { return 0 }
    let change = change(data[size - 2], of: tags)
    guard result(of: { try TagLibWriter().write(url: url, change: change) }) != nil else {
        expect((try? Data(contentsOf: url)) == file, "a change that failed changed the file")
        return 0
    }
    guard let changed = result(of: { try TagLibReader().read(url: url) }) else {
        fatalError("a changed file cannot be read")
    }
    expect(
        changed.title == change.set.title, "\(changed.title ?? "no title") instead of \(change.set.title ?? "none")")
    let once = try? Data(contentsOf: url)
    guard result(of: { try TagLibWriter().write(url: url, change: change) }) != nil else {
        fatalError("once more fails")
    }
    expect((try? Data(contentsOf: url)) == once, "the same change changed the file again")
    return 0
}

/// Ends the run unless a condition holds. A precondition of an optimised program would not say which one.
private func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
    if !holds { fatalError(problem()) }
}

/// What a call gives; `nil` for an error that a damaged file may end in.
private func result<Value>(of call: () throws -> Value) -> Value? {
    do {
        return try call()
    } catch {
        guard let error = error as? CoreError else { fatalError("\(error) is no error of the port") }
        guard ["decodeError", "unsupported", "ioError", "invalidArgument"].contains(error.code) else {
            fatalError("\(error)")
        }
        return nil
    }
}

/// A change of the title and, by the bits of a byte, of other fields.
private func change(_ bits: UInt8, of tags: TagBundle) -> TagChange {
    var change = TagChange()
    change.set.title = bits & 1 == 0 ? "Grün" : String(repeating: "Titel ", count: 500) + "."
    if bits & 2 != 0 { change.set.artists = ["Ann", "Ben"] }
    if bits & 4 != 0 { change.set.year = 2019 }
    if bits & 8 != 0 { (change.set.trackNumber, change.set.trackTotal) = (7, 12) }
    if bits & 16 != 0 { change.set.replayGain = ReplayGainTags(trackGain: -3.25, trackPeak: 0.5) }
    if bits & 32 != 0 { change.remove = [.comment, .genres, .album] }
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 1, count: 200))
    if bits & 64 != 0 { change.set.artworkData = png }
    if bits & 128 != 0 { change.set.lyrics = [LyricsLanguageVariant(languageCode: "eng", text: "la\nla")] }
    return change
}
