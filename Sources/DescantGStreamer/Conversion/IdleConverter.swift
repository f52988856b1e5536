internal import CGStreamer
internal import DescantCore

/// A GstAudioConverter, freed with this object.
final class IdleConverter: @unchecked Sendable {
    // Safe to share: the pointer never changes, and whoever holds the object is its only user; the pool hands each out once.
    let pointer: OpaquePointer
    let input: PCMFormat
    let output: PCMFormat

    init(owning pointer: OpaquePointer, from input: PCMFormat, to output: PCMFormat) {
        self.pointer = pointer
        self.input = input
        self.output = output
    }

    deinit { gst_audio_converter_free(pointer) }
}
