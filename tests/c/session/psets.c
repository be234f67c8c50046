// The process sets of a session, its info, and what is said of unknown sets.
// ranks: 1 2
#include "check.h"

static void set_is(MPI_Session session, const char *name, int wanted)
{
    MPI_Info info;
    MPI_Group group;
    char value[20] = "";
    int room = sizeof value, flag = 0, n = -1;
    OK(MPI_Session_get_pset_info(session, name, &info));
    OK(MPI_Info_get_string(info, "mpi_size", &room, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(atoi(value), wanted);
    OK(MPI_Info_free(&info));
    OK(MPI_Group_from_session_pset(session, name, &group));
    OK(MPI_Group_size(group, &n));
    CHECK_EQ(n, wanted);
    OK(MPI_Group_free(&group));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Session session;
    MPI_Info hints, info;
    OK(MPI_Info_create(&hints));
    OK(MPI_Info_set(hints, "thread_level", "MPI_THREAD_FUNNELED"));
    OK(MPI_Info_set(hints, "mpi_memory_alloc_kinds", "system,unheard-of"));
    OK(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&hints));
    char value[60] = "", name[MPI_MAX_PSET_NAME_LEN];
    int room = sizeof value, flag = 0, n = -1, world = 0, self = 0;
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_get_string(info, "thread_level", &room, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK(strncmp(value, "MPI_THREAD_", 11) == 0);
    room = sizeof value;
    if (is_starling()) {
        OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &room, value, &flag));
        CHECK_EQ(flag, 1);
        CHECK_STR(value, "system");
    }
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
    CHECK_GE(n, 2);
    for (int i = 0; i < n; i++) {
        int length = 0;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL));
        CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
        int again = length;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &again, name));
        CHECK_EQ(strlen(name) + 1, length);
        world += strcmp(name, "mpi://WORLD") == 0;
        self += strcmp(name, "mpi://SELF") == 0;
        // Too little room cuts the name.
        char piece[6] = "......";
        again = 5;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &again, piece));
        CHECK_EQ(piece[4], 0);
        CHECK_EQ(piece[5], '.');
        CHECK(strncmp(piece, name, 4) == 0);
    }
    CHECK_EQ(world, 1);
    CHECK_EQ(self, 1);
    set_is(session, "mpi://WORLD", size);
    set_is(session, "mpi://SELF", 1);
    if (is_starling()) {
        MPI_Group group = MPI_GROUP_EMPTY;
        set_is(session, "mpix://node", size);
        CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &room, name), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &room, name),
                    MPI_ERR_ARG);
        CHECK_CLASS(MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group), MPI_ERR_ARG);
        CHECK_SAME(group, MPI_GROUP_NULL);
    }
    OK(MPI_Session_finalize(&session));
    return check_done();
}
