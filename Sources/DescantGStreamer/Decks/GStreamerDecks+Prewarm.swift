internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Foundation

extension GStreamerDecks {
    /// Elements that the usual formats need.
    private static let usualElements = [
        "typefind", "decodebin", "uridecodebin", "filesrc", "flacparse", "flacdec", "wavparse", "mpegaudioparse",
        "mpg123audiodec", "id3demux", "oggdemux", "vorbisdec", "opusdec", "opusparse", "multiqueue",
        "streamsynchronizer",
    ]

    /// Loads the elements that the usual formats need, some 40 ms of one core once in a process.
    ///
    /// Before a foreign library is loaded: when one of its C constructors hangs, the dynamic linker loads nothing any more, and
    /// GStreamer could open only what it has elements for.
    package static func loadElements() {
        guard (try? GStreamerRuntime.start()) != nil else { return }
        (usualElements + rarerElements).forEach(GStreamerRuntime.load)
        // These are no elements: they look at a file's first bytes.
        if let typeFinders = gst_plugin_load_by_name("typefindfunctions") {
            gst_object_unref(UnsafeMutableRawPointer(typeFinders))
        }
    }

    /// Elements for other formats and for other rates and channels, but for those of libav, which take 200 ms to load.
    private static let rarerElements = [
        "playbin", "appsink", "audioconvert", "audioresample", "scaletempo", "volume", "audiomixer", "qtdemux",
        "aacparse",
        "matroskademux", "aiffparse", "wavpackparse", "wavpackdec", "apedemux", "icydemux", "giosrc", "souphttpsrc",
    ]

    /// Loads what the first open would have to load: GStreamer itself, playbin and the decoders of the usual formats.
    ///
    /// Takes some 100 ms of one core once in a process. A component that is missing is left out; the open that needs it
    /// says so.
    package func prewarm() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global(qos: .utility).async {
                if (try? GStreamerRuntime.start()) != nil { Self.usualElements.forEach(GStreamerRuntime.load) }
                continuation.resume()
            }
        }
        let silence = AudioSource.data(Self.silentWAV, name: "silence.wav")
        // Only the loading matters, not the sound.
        if let opened = try? await open(silence, mix: PCMFormat(sampleRate: 48_000, channels: 2), news: { _ in }) {
            opened.deck.close()
        }
    }

    /// A tenth of a second of mono silence at 8 kHz, 8 bits.
    private static var silentWAV: Data {
        var file = Data("RIFF".utf8)
        file.append(contentsOf: [0x44, 0x03, 0, 0])
        file.append(Data("WAVEfmt ".utf8))
        file.append(contentsOf: [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0])
        file.append(Data("data".utf8))
        file.append(contentsOf: [0x20, 0x03, 0, 0])
        file.append(Data(repeating: 0x80, count: 800))
        return file
    }
}
