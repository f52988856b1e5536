internal import Foundation

/// The program that benchmarks drive: every sub-command prints key=value lines as soon as it knows them.
@main
enum Main {
    private static let usage = """
        usage: descant-bench COMMAND …
          decode FILE null RATE                      decode, resample, 16 bit stereo, discard
          mix A B OVERLAY RATE XFADE [OUT.raw]       two tracks crossfading, a looping overlay at 0.3
          start null|pulse N FILE                    play call to first sample, N times
          seek null|pulse accurate DIR FILE T…       seek call to first sample of the new position
          gap OUT.raw RATE FILE…                     gapless playlist as fast as possible
          crossfade OUT.raw                          a crossfade of two tones, as float samples
          rt null|pulse SECS FILE [OVERLAY]          real-time playback
          next null N FILE FILE…                     next track, opened ahead, to its first sample
          calls null|pulse|frozen N FILE [ENTRIES]   calls that open no file, until they return, with that many entries; `frozen` is a
                                                     private sound server that does not answer
          playlist COUNT                             loading, edits and memory of a playlist
          plugins COUNT                              a warm scan of that many bundles, which loads none
          bundle cached|uncached                     the first decoder of a bundle, and another one
          scan LIST [THREADS]                        tags and artwork of the files that a list names
          taglib-scan LIST                           the same by a plain loop over TagLib
          corpus FOLDER [--tracks N]                 makes the library of `table` in FOLDER/library, or a smaller one
          library FOLDER FILE                        the terminal player in front of the library of `table`
          queue FOLDER FILE [--tagged]               the terminal player with that library as its playlist, while the tags are
                                                     read, and when all of them are read
          window FOLDER FILE [--short]               the desktop player with that library as its queue, and in front of it: its
                                                     start, the frames while it scrolls, and the answers to letters;
                                                     all of it once
          isolate host|helper FILE N                 opening N times to the first frame, decoding; in this process or a helper
          speech first|length|play ENGINE N          a synthesizer's first sample; its speed; play call to first audible sample
          speech isolated ENGINE N                   a synthesizer's first sample in a helper
          speech switch ENGINE ENGINE N              another engine in the middle of a sentence, until it begins
          transport own|playbin|mpv pulse|pipewire|pulse-card|pipewire-card|alsa-card A B
                                                     commands on a private sound server, from the call to the audible change
          list LIST.m3u                              loading, edits and memory of the playlist of a file
          layers N                                   mixing that many layers
          subscribers N                              an event that so many readers take
          busy SECS                                  underruns at a sound server beside four busy loops
          table [--check] [--runs N] [--busy SECS] [--json FILE] [--markdown FILE] [--only GROUP]
                                                     everything beside the players that are installed; GROUP is one of
                                                     player, device, formats, playlist, tags, library, speech, isolation, plugins, client
          growth [--check] [--runs N] [--json FILE] [--plots FOLDER]
                                                     cost against layers, entries, plugins and subscribers
        RATE in Hz, XFADE, SECS and T in seconds. The variable RATE sets the mix's rate of start, seek and rt (48000).
        """

    static func main() async {
        _ = BenchOutput.processStart
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as BenchError {
            try? FileHandle.standardError.write(contentsOf: Data((error.message + "\n").utf8))
            exit(error.status)
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("descant-bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard let name = arguments.first else { throw BenchError.usage(usage) }
        var rest = Arguments(Array(arguments.dropFirst()), usage: usage)
        switch name {
        case "decode": try await DecodeBench(&rest).run()
        case "mix": try await MixBench(&rest).run()
        case "crossfade": try await CrossfadeBench(&rest).run()
        case "bundle": try BundleBench(&rest).run()
        case "isolate": try IsolateBench(&rest).run()
        case "start": try await StartBench(&rest).run()
        case "seek": try await SeekBench(&rest).run()
        case "next": try await NextBench(&rest).run()
        case "transport": try await TransportBench(&rest).run()
        case "layers": try await LayersBench(&rest).run()
        case "subscribers": try await SubscribersBench(&rest).run()
        case "growth": try await GrowthBench(&rest).run()
        case "list": try await ListBench(&rest).run()
        case "calls": try await CallBench(&rest).run()
        case "playlist": try await PlaylistBench(&rest).run()
        case "plugins": try PluginsBench(&rest).run()
        case "scan", "taglib-scan": try await ScanBench(name, &rest).run()
        case "library": try LibraryBench(&rest).run()
        case "queue": try QueueBench(&rest).run()
        case "corpus":
            let count = try rest.option("--tracks") ?? LibraryCorpus.fullCount
            guard count > 0, count % 10 == 0 else { throw BenchError.usage(usage) }
            _ = try LibraryCorpus(in: try rest.file(), program: LibraryBench.sibling("descant-library"), count: count)
        case "window": try WindowBench(&rest).run()
        case "gap": try await GapBench(&rest).run()
        case "rt": try await RealTimeBench(&rest).run()
        case "busy": try await BusyBench(&rest).run()
        case "speech": try await SpeechBench(&rest).run()
        case "spin": try SpinBench.run(&rest)
        case "table": try await TableBench(&rest).run()
        case "playbin-start", "playbin-seek": try PlaybinBench(name, &rest).run()
        case "-h", "--help", "help": print(usage)
        default: throw BenchError.usage(usage)
        }
    }
}
