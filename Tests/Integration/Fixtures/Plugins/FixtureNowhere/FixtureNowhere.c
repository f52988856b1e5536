#include "FixtureNowhere.h"
