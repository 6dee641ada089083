// A disk that fails on request, and that keeps a log of what was written to it, for one process: preloaded
// (LD_PRELOAD), this library stands between a daemon and its state folder. All that it does is about files
// below $NIGHTJAR_TEST_DISK_FOLDER; everything else goes to the kernel as it is.
//
// $NIGHTJAR_TEST_DISK_LOG: a file to which a record of every write, truncation, sync, creation, rename and
// removal is appended, in the order in which they took effect, and of every message that was sent on a
// UNIX stream socket: so a reader knows what clients had been told at each point.
//
// $NIGHTJAR_TEST_DISK_FAULT: a file of one nj_disk_fault, which a test maps and changes while the daemon
// runs.
//
// $NIGHTJAR_TEST_DISK_SABOTAGE=unsynced: fsync and fdatasync say that all is well and do nothing. This
// imitates a daemon that acknowledges a change before its commit is durable.
#pragma once

#include "disk_record.h"
