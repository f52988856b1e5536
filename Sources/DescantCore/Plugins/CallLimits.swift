/// How long calls into a plugin may take before they are reported, in seconds.
package struct CallLimits: Sendable {
    package var open = 10.0
    package var read = 5.0
    package var seek = 5.0

    package init() {}

    package init(open: Double, read: Double, seek: Double) {
        self.open = open
        self.read = read
        self.seek = seek
    }
}
