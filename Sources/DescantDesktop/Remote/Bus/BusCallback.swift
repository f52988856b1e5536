internal import CGio

/// Carries a Swift value through C.
final class BusCallback<Value> {
    private let value: Value

    private init(_ value: Value) { self.value = value }

    /// A pointer that ``releaseBusCallback(_:)`` releases, or ``take(_:)``.
    static func retained(_ value: Value) -> gpointer {
        Unmanaged<AnyObject>.passRetained(BusCallback(value)).toOpaque()
    }

    /// The value behind a pointer, which stays valid.
    static func value(_ pointer: gpointer?) -> Value {
        // Every pointer comes from `retained` of the same type: the callers are the callbacks that were registered with it.
        Unmanaged<BusCallback<Value>>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue().value
    }

    /// The value behind a pointer, which is released.
    static func take(_ pointer: gpointer?) -> Value {
        defer { releaseBusCallback(pointer) }
        return value(pointer)
    }
}

/// Releases what ``BusCallback/retained(_:)`` made.
func releaseBusCallback(_ pointer: gpointer?) {
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
}
