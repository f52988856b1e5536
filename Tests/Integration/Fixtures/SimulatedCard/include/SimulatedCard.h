#ifndef SIMULATEDCARD_H
#define SIMULATEDCARD_H

// A plugin of ALSA; it declares nothing. SimulatedCard.c says how it is used.

#endif
