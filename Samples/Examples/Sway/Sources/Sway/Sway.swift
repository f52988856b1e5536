import Descant
import Foundation

/// A tremolo: the gain follows a sine between 1 and 1 - depth.
struct SwayEffect: AudioEffect {
    private static let rate = EffectParameter("rate", name: "Rate", unit: "Hz", range: 0.1...20, defaultValue: 5)
    private static let depth = EffectParameter("depth", name: "Depth", range: 0...1, defaultValue: 0.5)

    let parameters = [rate, depth]
    /// The sound is neither delayed nor prolonged.
    let latency = 0
    let tail = 0
    private var sampleRate = 48_000.0
    private var rate = Self.rate.defaultValue
    private var depth = Self.depth.defaultValue
    /// The place in the sine, 0..<1.
    private var phase = 0.0

    mutating func prepare(_ format: PCMFormat, maximumFrames: Int) throws { sampleRate = Double(format.sampleRate) }

    mutating func setParameter(_ identifier: String, to value: Double) {
        switch identifier {
        case "rate": rate = Self.rate.clamp(value)
        case "depth": depth = Self.depth.clamp(value)
        default: break
        }
    }

    mutating func process(_ block: EffectBlock) {
        for frame in 0..<block.frames {
            let gain = Float(1 - depth * (1 - cos(2 * .pi * phase)) / 2)
            for channel in 0..<block.channels { block[channel][frame] *= gain }
            phase += rate / sampleRate
            if phase >= 1 { phase -= 1 }
        }
    }

    mutating func reset() { phase = 0 }
}

struct SwayPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.sway", name: "Sway", version: "1.0.0", license: "Apache-2.0",
        provides: [.effect("sway") { SwayEffect() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: SwayPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(SwayPlugin.self, host) }
