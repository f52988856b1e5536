import Foundation

/// Plays, reads and speaks through a helper process that answers what the input says: HostileHelper.c. A host takes no answer for granted, and
/// ends every call with a value that can be used, or with an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 1 else { return 0 }
    let script = Data(bytes: data + 1, count: size - 1)
    let place = "/dev/shm/descant-fuzz-\(getpid())"
    guard (try? script.write(to: URL(fileURLWithPath: place))) != nil else { fatalError("\(place) cannot be written") }
    // After the pool has closed, so that no helper looks for it any more.
    defer { unlink(place) }
    var limits = CallLimits()
    (limits.load, limits.make, limits.open, limits.read, limits.seek, limits.close) = (5, 2, 2, 2, 2, 2)
    (limits.score, limits.voice, limits.speech) = (2, 2, 2)
    let helper = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "helper")
    let pool = HelperPool(.builtIn, isolation: PluginIsolation(.everything, helper: helper), limits: limits)
    defer { pool.close() }
    switch data[0] % 3 {
    case 0: try? decode(IsolatedDecoder(pool, identifier: "fuzz"))
    case 1: _ = try? IsolatedTagReader(pool, identifier: "fuzz").read(url: file)
    default: speak(pool.forSpeech())
    }
    return 0
}

private let file = URL(fileURLWithPath: CommandLine.arguments[0])
private let capacity = 10_000

private func decode(_ decoder: IsolatedDecoder) throws {
    let handle = try decoder.open(url: file)
    defer { decoder.close(handle) }
    let info = try decoder.info(handle)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: capacity * info.channels)
    defer { samples.deallocate() }
    for step in 1...12 {
        let wanted = step % 3 == 0 ? capacity : step * 100
        let count = try decoder.read(handle, into: samples, maxFrames: wanted)
        guard (0...wanted).contains(count) else { fatalError("\(count) of \(wanted) frames") }
        if count == 0 { break }
        if step % 4 == 0 { try decoder.seek(handle, toSeconds: Double(step)) }
    }
}

private func speak(_ pool: HelperPool) {
    guard let synthesizer = try? IsolatedSynthesizer(pool, identifier: "fuzz") else { return pool.close() }
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
        _ = try? await synthesizer.voices()
        try? await speak(SpeechRequest(text: "One two three.", language: "en"), synthesizer)
        await synthesizer.shutdown()
        ended.signal()
    }
    ended.wait()
}

private func speak(_ request: SpeechRequest, _ synthesizer: IsolatedSynthesizer) async throws {
    let length = request.text.utf8.count
    for try await chunk in synthesizer.synthesize(request) {
        guard chunk.samples.allSatisfy(\.isFinite), chunk.sampleRate > 0,
            chunk.marks.allSatisfy({ $0.frame >= 0 && $0.utf8Range.clamped(to: 0..<length) == $0.utf8Range })
        else { fatalError("an impossible piece of speech") }
    }
}
