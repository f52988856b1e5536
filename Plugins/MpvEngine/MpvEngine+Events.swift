internal import Descant
internal import Foundation

/// What mpv reports.
extension MpvEngine {
    func handle(_ event: MpvCore.Event) {
        switch event {
        case .problem(let text, let isError):
            // FFmpeg gives the answer of a web server as a warning.
            guard isError || text.contains("HTTP error") else { break }
            if problems.count < 16 { problems.append(text) }
            if file?.isLoaded == true, text.hasPrefix("ffmpeg/audio") || text.hasPrefix("ad:") {
                file?.isDamaged = true
            }
        case .loaded(let entry): if isPresent(entry) { file?.isLoaded = true }
        case .ended(let entry, let end): if isPresent(entry) { note(end) }
        case .restarted: file?.restarts += 1
        case .flag(.idle, let isIdle): file?.isIdle = isIdle
        case .flag(.waitsForData, let waits): file?.waitsForData = waits
        case .flag(.isSeekable, let isSeekable): file?.isSeekable = isSeekable
        case .number(.duration, let seconds): if let seconds, seconds > 0, seconds.isFinite { length = seconds }
        case .number(.position, let seconds):
            if let seconds, file != nil, pausedTarget == nil { position = clamped(seconds) }
        case .audioOutput(let name): file?.audioOutput = name
        case .shutDown: note(.stopped)
        }
        follow()
        changed()
    }

    /// Whether an event belongs to the file that is open or being opened.
    private func isPresent(_ entry: Int64) -> Bool {
        file.map { $0.entry == entry || $0.entry == 0 && entry > lastEntry } ?? false
    }

    /// Follows mpv while it plays.
    private func follow() {
        guard let file, file.end == nil, !isBusy else { return }
        switch engineState {
        case .playing where file.waitsForData: states.post(.buffering)
        case .buffering where !file.waitsForData && !file.isIdle: states.post(.playing)
        default: break
        }
    }

    private func note(_ end: MpvCore.End) {
        file?.end = end
        // A start or an opening in progress handles the end itself; what it leaves follows behind it.
        guard !isBusy else { return }
        ended()
    }

    /// The open file has ended by itself.
    func ended() {
        guard let url, let file, let end = file.end else { return }
        let wasPaused = engineState == .paused || engineState == .ready
        self.file = nil
        switch end {
        case .finished where wasPaused: start = position
        case .finished:
            if file.isDamaged, let length, position < length - Self.endTolerance {
                start = position
                let detail = problems.first { $0.hasPrefix("ffmpeg/audio") } ?? "mpv cannot decode it"
                let place = (position * 10).rounded() / 10
                states.post(.failed(.decodeError("\(AudioSource.url(url).name): damaged at \(place) s (\(detail))")))
            } else {
                start = nil
                states.post(.finished)
            }
        case .stopped, .failed:
            start = position
            states.post(.failed(failure(of: end, url)))
        }
    }
}
