#include <flite/flite.h>

// The voices' headers are not installed with the libraries.
cst_voice *register_cmu_us_slt(const char *folder);
cst_voice *register_cmu_us_rms(const char *folder);
cst_voice *register_cmu_us_awb(const char *folder);
