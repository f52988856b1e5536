internal import CGStreamer
internal import DescantCore
internal import DescantMixing

/// Has a source write one block straight into GStreamer buffers, one a layer.
struct BlockRenderer {
    private struct Target {
        var layer: LayerID
        var buffer: UnsafeMutablePointer<GstBuffer>
        var map: GstMapInfo
    }

    let format: PCMFormat

    /// Renders up to a number of frames of every active layer.
    ///
    /// - Returns: What was rendered, numbered from `frame`; `nil` when the source gave nothing.
    func render(_ source: any MixSource, frame: Int64, frames: Int) -> RenderedSpan? {
        var targets: [Target] = []
        let block = source.render(frames: frames) { layer in
            if let known = targets.first(where: { $0.layer == layer }) { return Self.samples(of: known) }
            let target = Self.makeTarget(for: layer, bytes: frames * format.frameBytes)
            targets.append(target)
            return Self.samples(of: target)
        }
        let buffers = targets.map { ($0.layer, finish($0, frames: block.frames)) }
        guard block.frames > 0 else { return nil }
        let layers = block.layers.map { layer in
            RenderedSpan.Layer(
                id: layer.id, buffer: layer.isSilent ? nil : buffers.first { $0.0 == layer.id }?.1)
        }
        return RenderedSpan(frame: frame, frames: block.frames, layers: layers, isQuiet: block.isQuiet)
    }

    private static func makeTarget(for layer: LayerID, bytes: Int) -> Target {
        var map = GstMapInfo()
        guard let buffer = gst_buffer_new_allocate(nil, gsize(bytes), nil),
            gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0
        else { fatalError("out of memory: no buffer of \(bytes) bytes for \(layer)") }
        return Target(layer: layer, buffer: buffer, map: map)
    }

    private static func samples(of target: Target) -> UnsafeMutablePointer<Float> {
        UnsafeMutableRawPointer(target.map.data).assumingMemoryBound(to: Float.self)
    }

    private func finish(_ target: Target, frames: Int) -> RenderedBuffer {
        var map = target.map
        gst_buffer_unmap(target.buffer, &map)
        gst_buffer_set_size(target.buffer, gssize(frames * format.frameBytes))
        return RenderedBuffer(taking: target.buffer)
    }
}
