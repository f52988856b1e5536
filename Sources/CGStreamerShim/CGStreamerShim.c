#include "CGStreamerShim.h"
