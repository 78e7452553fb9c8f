/* Preloaded, makes each fsync and fdatasync take DELAY_US microseconds more, as a disk would. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int sync_slowly(const char *name, int file)
{
    struct timespec delay = {DELAY_US / 1000000, DELAY_US % 1000000 * 1000L};
    int (*sync_file)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);

    nanosleep(&delay, NULL);
    return sync_file(file);
}

int fsync(int file) { return sync_slowly("fsync", file); }

int fdatasync(int file) { return sync_slowly("fdatasync", file); }
