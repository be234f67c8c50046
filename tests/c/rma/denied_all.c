// Windows in the user's memory work when the kernel denies copies between processes: transfers,
// derived types, accumulates, locks, dynamic windows. The target serves them in its MPI calls.
// ranks: 2 4
// wrapper: programs/deny_cma.c all
// mpich: it cannot do without
#include "denied.h"
