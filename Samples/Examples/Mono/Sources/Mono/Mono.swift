import Descant

/// Plays the mean of all channels on each of them, for a listener with one loudspeaker or one ear.
struct MonoEffect: AudioEffect {
    let parameters: [EffectParameter] = []
    let latency = 0
    let tail = 0
    func prepare(_ format: PCMFormat, maximumFrames: Int) throws {}
    func setParameter(_ identifier: String, to value: Double) {}
    func process(_ block: EffectBlock) {
        for frame in 0..<block.frames {
            let sum = (0..<block.channels).reduce(0) { $0 + block[$1][frame] }
            for channel in 0..<block.channels { block[channel][frame] = sum / Float(block.channels) }
        }
    }
    func reset() {}
}

struct MonoPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.mono", name: "Mono", version: "1.0.0", license: "Apache-2.0",
        provides: [.effect("mono") { MonoEffect() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: MonoPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(MonoPlugin.self, host) }
