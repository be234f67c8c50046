// Threads open sessions and use them at the same time, without MPI_Init and without asking.
// ranks: 1 2
// cflags: -pthread
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 20 };

static void *work(void *number)
{
    int mine = *(int *)number;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        MPI_Info hints;
        char tag[40];
        int n = 0, sum = 0;
        OK(MPI_Info_create(&hints));
        OK(MPI_Info_set(hints, "thread_level", "MPI_THREAD_MULTIPLE"));
        OK(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session));
        OK(MPI_Info_free(&hints));
        OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
        snprintf(tag, sizeof tag, "tests://threads/%d", mine);
        OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        OK(MPI_Group_size(group, &n));
        OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK_EQ(sum, n * mine);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&group));
        OK(MPI_Session_finalize(&session));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return check_failures > 0;
}
