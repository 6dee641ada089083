// A wall clock that tests can set, for one process: preloaded (LD_PRELOAD), this library adds the
// whole seconds written in the file $NIGHTJAR_TEST_WALL_CLOCK to CLOCK_REALTIME, and a second
// number, if there is one, to CLOCK_BOOTTIME, as if the machine had slept for so long. The other
// clocks, and all timers, go as they go, so what is set on CLOCK_BOOTTIME from then on is late by
// that: libfaketime shifts timerfds on CLOCK_MONOTONIC as well, which the kernel then refuses on a
// machine that has not been up for as long as the shift.
//
// With `at` and three numbers in the file, all three clocks stand still at these microseconds: a program
// that reads them shows the same at every run.
#pragma once
