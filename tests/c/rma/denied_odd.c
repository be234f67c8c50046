// The same when only every other process is denied: kernel copies and messages mix at one target.
// ranks: 2 4
// wrapper: programs/deny_cma.c odd
// mpich: it cannot do without
#include "denied.h"
