internal import CMpv
internal import Descant
internal import Foundation

/// Opening content, and the errors of content that mpv cannot open.
extension MpvEngine {
    func loadContent(_ content: MediaContent) async throws {
        await stop()
        (url, track, length) = (nil, nil, nil)
        let turn = turn
        states.post(.loading)
        do {
            let url = try Self.address(of: content)
            try await serially {
                try checkTurn(turn)
                try await open(url, at: 0, on: nil, turn)
            }
            self.url = url
            await describe(url)
            try checkTurn(turn)
            states.post(.ready)
        } catch {
            if turn == self.turn {
                self.url = nil
                if error is CancellationError {
                    states.post(.idle)
                } else {
                    states.post(.failed(Self.coreError(error)))
                }
            }
            throw error
        }
    }

    private static func address(of content: MediaContent) throws -> URL {
        guard case .url(let url) = content else {
            throw CoreError.unsupported("mpv: it plays URLs; text needs a speech engine")
        }
        guard url.isFileURL || ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw CoreError.unsupported(
                "\(AudioSource.url(url).name): mpv plays files and http and https addresses here")
        }
        return url
    }

    func checkTurn(_ turn: UInt64) throws {
        try Task.checkCancellation()
        guard turn == self.turn else { throw CancellationError() }
    }

    /// Opens a file in mpv, paused at a position.
    ///
    /// - Parameters:
    ///   - position: Seconds from the beginning.
    ///   - device: The device to open with it; `nil` for none.
    ///   - turn: The load or start that wants it.
    func open(_ url: URL, at position: TimeInterval, on device: EngineOutput?, _ turn: UInt64) async throws {
        if url.isFileURL { try await Self.checkFile(url) }
        do {
            try await core.set("pause", "yes")
        } catch is CoreError {
            // The core hangs in a sound server or a network.
            try replaceCore()
        }
        try await applySettings()
        try await setDevice(device)
        try await core.set("start", "\(position)")
        try checkTurn(turn)
        problems = []
        let name = url.isFileURL ? url.path : url.absoluteString
        // Its number is in the reply, which may come after the first events.
        file = OpenFile(entry: 0, device: device)
        guard case .entry(let entry) = try await core.run("loadfile", name, "replace") else {
            throw CoreError.ioError("mpv: loadfile has not told its playlist entry")
        }
        file?.entry = entry
        lastEntry = entry
        let isDone = await wait { turn != self.turn || file?.isLoaded == true || file?.end != nil }
        guard isDone, turn == self.turn, file?.isLoaded == true else {
            let end = file?.end
            file = nil
            if !isDone || turn != self.turn { await attempt("closing") { _ = try await core.run("stop") } }
            try checkTurn(turn)
            guard isDone else {
                throw CoreError.ioError(
                    "\(AudioSource.url(url).name): mpv has not opened it within \(Self.startLimit) s")
            }
            throw failure(of: end, url)
        }
        self.position = position
        pausedTarget = nil
        if length == nil, let seconds = await core.number("duration"), seconds > 0, seconds.isFinite {
            length = seconds
        }
    }

    /// Finds out why a file cannot be played before mpv does, whose words are "loading failed".
    private static func checkFile(_ url: URL) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            // A network file system may block.
            DispatchQueue(label: "descant.mpv.file").async {
                done.resume(
                    with: Result {
                        let files = LocalFileAccess()
                        files.close(try files.open(url: url))
                    })
            }
        }
    }

    private func describe(_ url: URL) async {
        func tag(_ name: String) async -> String? { await core.text("metadata/by-key/\(name)") }
        let number = file?.entry ?? 0
        track = NowPlayingTrack(
            id: .init(rawValue: "mpv\(number)"), url: url, title: await tag("title"),
            artists: await tag("artist").map { [$0] } ?? [], album: await tag("album"), duration: length)
    }

    private static func coreError(_ error: any Error) -> CoreError {
        error as? CoreError ?? .ioError(underlying: error)
    }

    /// The error of a file that was closed, with the first message of mpv and FFmpeg, which names the cause.
    func failure(of end: MpvCore.End?, _ url: URL) -> CoreError {
        let name = AudioSource.url(url).name
        // Messages that repeat the address may hold a password.
        let cause = problems.first { !$0.contains(url.absoluteString) && !$0.hasPrefix("cplayer") }
        guard case .failed(let code) = end else { return .ioError("\(name): mpv has closed it") }
        let detail = cause.map { " (\($0))" } ?? ""
        switch mpv_error(code) {
        case MPV_ERROR_UNKNOWN_FORMAT:
            return .unsupported("\(name): mpv does not recognise its format; it may be damaged, or no audio\(detail)")
        case MPV_ERROR_NOTHING_TO_PLAY:
            return .decodeError("\(name): mpv finds no sound in it that it can decode\(detail)")
        case MPV_ERROR_AO_INIT_FAILED:
            return .ioError(
                "mpv cannot open \(output.name)\(detail); is the sound server running, and the device there?")
        case MPV_ERROR_LOADING_FAILED where cause?.contains("HTTP error 404") == true:
            return .notFound("\(name): the server does not have it\(detail)")
        default:
            return .ioError("\(name): mpv: \(String(cString: mpv_error_string(code)))\(detail)")
        }
    }
}
