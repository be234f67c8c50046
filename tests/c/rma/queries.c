// What a window says of itself: predefined and own attributes, name, group, hints, error handlers,
// handles as integers.
// ranks: 1 2
#include "flavor.h"

static int copies, deletes, last_code;
static MPI_Win last_win;

static int on_copy(MPI_Win win, int key, void *extra, void *in, void *out, int *flag)
{
    (void)win, (void)key, (void)extra, (void)in, (void)out;
    copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
    (void)key;
    CHECK_SAME(win, last_win);
    CHECK(extra == &deletes);
    CHECK(value == &copies || value == &last_code);
    deletes++;
    return MPI_SUCCESS;
}

static void on_error(MPI_Win *win, int *code, ...)
{
    last_win = *win;
    last_code = *code;
}

static void predefined(int flavor, MPI_Win win, void *base)
{
    void *value;
    int flag = 0;
    const int kinds[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED};
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag && value == base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag && *(MPI_Aint *)value == 128 + 8 * rank);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag && *(int *)value == 4 + rank);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag && *(int *)value == kinds[flavor]);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag && *(int *)value == MPI_WIN_UNIFIED);
    CHECK_NE(MPI_Win_set_attr(win, MPI_WIN_SIZE, &value), MPI_SUCCESS);
    CHECK_NE(MPI_Win_delete_attr(win, MPI_WIN_MODEL), MPI_SUCCESS);
}

static void attributes(MPI_Win win)
{
    int key, flag = 1, other;
    void *value;
    last_win = win;
    deletes = 0;
    OK(MPI_Win_create_keyval(on_copy, on_delete, &key, &deletes));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL));
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Win_set_attr(win, key, &copies));
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == &copies);
    OK(MPI_Win_set_attr(win, key, &last_code));
    CHECK_EQ(deletes, 1);
    OK(MPI_Win_delete_attr(win, key));
    CHECK_EQ(deletes, 2);
    CHECK_CLASS(MPI_Win_get_attr(win, other, &value, &flag), MPI_ERR_KEYVAL);
    // The last one goes with the window, though its key is freed before.
    OK(MPI_Win_set_attr(win, key, &copies));
    OK(MPI_Win_free_keyval(&key));
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
    OK(MPI_Comm_free_keyval(&other));
}

static void names(MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME] = "x";
    int length = -1;
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_STR(name, "");
    CHECK_EQ(length, 0);
    OK(MPI_Win_set_name(win, "the window"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_STR(name, "the window");
    CHECK_EQ(length, 10);
    OK(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
    CHECK_STR(name, "MPI_WIN_NULL");
}

static void groups(MPI_Win win)
{
    MPI_Group mine, world;
    int result;
    OK(MPI_Win_get_group(win, &mine));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_compare(mine, world, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_free(&mine));
    OK(MPI_Group_free(&world));
    CHECK_SAME(MPI_Win_fromint(MPI_Win_toint(win)), win);
    CHECK_SAME(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)), MPI_WIN_NULL);
}

static void hints(MPI_Win win)
{
    MPI_Info info;
    char value[64];
    int flag, room = sizeof value;
    const char *known[][2] = {{"no_locks", "false"},
                              {"accumulate_ordering", "rar,raw,war,waw"},
                              {"accumulate_ops", "same_op_no_op"},
                              {"same_size", "false"},
                              {"same_disp_unit", "false"}};
    OK(MPI_Win_get_info(win, &info));
    for (int i = 0; i < 5; i++) {
        room = sizeof value;
        OK(MPI_Info_get_string(info, known[i][0], &room, value, &flag));
        CHECK(flag);
        if (is_starling())
            CHECK_STR(value, known[i][1]);
    }
    OK(MPI_Info_set(info, "accumulate_ordering", "none"));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_get_info(win, &info));
    room = sizeof value;
    OK(MPI_Info_get_string(info, "accumulate_ordering", &room, value, &flag));
    CHECK(flag);
    if (is_starling())
        CHECK_STR(value, "none");
    OK(MPI_Info_free(&info));
    if (is_starling())
        OK(MPI_Win_set_info(win, MPI_INFO_NULL));
}

static void handlers(MPI_Win win)
{
    MPI_Errhandler own, got;
    OK(MPI_Win_create_errhandler(on_error, &own));
    OK(MPI_Win_set_errhandler(win, own));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK_SAME(got, own);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&own));
    last_code = 0;
    last_win = MPI_WIN_NULL;
    int code = MPI_Win_lock(-5, 0, 0, win);
    CHECK_CLASS2(code, MPI_ERR_LOCKTYPE, MPI_ERR_ARG);
    CHECK_EQ(last_code, code);
    CHECK_SAME(last_win, win);
    last_code = 0;
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK_EQ(last_code, MPI_ERR_OTHER);
    OK(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)on_error, &own));
    if (is_starling())
        CHECK_NE(MPI_Win_set_errhandler(win, own), MPI_SUCCESS);
    OK(MPI_Errhandler_free(&own));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK_SAME(got, MPI_ERRORS_RETURN);
}

static void dynamic(void)
{
    MPI_Win win;
    MPI_Errhandler got;
    void *value = &win;
    int flag;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK_SAME(got, MPI_ERRORS_ARE_FATAL);
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag && value == MPI_BOTTOM);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag && *(MPI_Aint *)value == 0);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag && *(int *)value == 1);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag && *(int *)value == MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        char *mine;
        MPI_Win win = make_window(flavor, 128 + 8 * rank, 4 + rank, &mine);
        predefined(flavor, win, mine);
        attributes(win);
        names(win);
        groups(win);
        hints(win);
        handlers(win);
        last_win = win;
        free_window(flavor, &win, mine);
        CHECK_EQ(deletes, 3);
        CHECK_EQ(copies, 0);
    }
    dynamic();
    return check_done();
}
