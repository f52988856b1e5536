// TagLib is C++: its headers are included by the shim only. This module carries the flags of pkg-config.
