#include "FixtureOldSherpa.h"

// A sherpa-onnx with other C structures.
const char *SherpaOnnxGetVersionStr(void) { return "1.13.8"; }
