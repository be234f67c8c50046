// Threads make and free types, groups, infos, attributes and error handlers at the same time.
// ranks: 1
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 300 };
static int key;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < TURNS; i++) {
        MPI_Datatype type, copy;
        MPI_Group world, none;
        MPI_Info info;
        MPI_Comm comm;
        int n = -1, flag = 0, length = 20;
        char text[20];
        void *value = NULL;
        OK(MPI_Type_vector(me + 2, 1, 3, MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        OK(MPI_Type_dup(type, &copy));
        OK(MPI_Type_size(copy, &n));
        CHECK_EQ(n, (me + 2) * 4);
        OK(MPI_Type_free(&type));
        OK(MPI_Type_free(&copy));
        OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
        OK(MPI_Group_difference(world, world, &none));
        CHECK_SAME(none, MPI_GROUP_EMPTY);
        OK(MPI_Group_free(&world));
        OK(MPI_Info_create(&info));
        snprintf(text, sizeof text, "%d-%d", me, i);
        OK(MPI_Info_set(info, "key", text));
        char got[20];
        OK(MPI_Info_get_string(info, "key", &length, got, &flag));
        CHECK_STR(got, text);
        OK(MPI_Info_free(&info));
        OK(MPI_Comm_create_group(MPI_COMM_SELF, MPI_GROUP_EMPTY, me, &comm));
        CHECK_SAME(comm, MPI_COMM_NULL);
        OK(MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag));
        CHECK(flag && value == &key);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    pthread_t threads[THREADS];
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &key));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OK(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
    OK(MPI_Comm_free_keyval(&key));
    return check_done();
}
