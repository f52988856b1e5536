import Testing

/// The programs that render, measure and inspect, and views whose sound nobody hears, one after another, beside those that wait for the time of
/// real sound.
@Suite(.serialized) enum RenderingSuite {}
