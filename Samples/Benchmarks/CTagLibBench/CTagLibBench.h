// TagLib is C++: its headers are included by the peer only. This module carries the flags of pkg-config.
