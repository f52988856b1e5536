/// Where a read writes to.
struct ReadTarget: @unchecked Sendable {
    // Safe: made and used inside one call of `read`, by one thread; a lock's closure only sees it as sendable.
    let start: UnsafeMutablePointer<Float>
}
