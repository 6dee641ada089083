#include "disk_record.h"

// Both sides read these as they lie in memory.
_Static_assert(sizeof(nj_disk_fault) == 20, "five words");
_Static_assert(sizeof(nj_disk_record) == 32, "no room between the members");
