// Info objects: set, get, delete, order of keys, dup, lengths, limits.
// ranks: 1
#include "check.h"

static void basics(void)
{
    MPI_Info info, copy;
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    int flag = -1, n = -1, length = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_EQ(n, 0);
    OK(MPI_Info_set(info, "first", "1"));
    OK(MPI_Info_set(info, "second", "two words"));
    OK(MPI_Info_set(info, "first", "one"));
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_EQ(n, 2);
    OK(MPI_Info_get_nthkey(info, 0, key));
    CHECK_STR(key, "first");
    OK(MPI_Info_get_nthkey(info, 1, key));
    CHECK_STR(key, "second");
    length = sizeof value;
    OK(MPI_Info_get_string(info, "first", &length, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(length, 4); // with its terminator
    CHECK_STR(value, "one");
    length = 4;
    memset(value, 'x', sizeof value);
    OK(MPI_Info_get_string(info, "second", &length, value, &flag));
    CHECK_EQ(length, 10);
    CHECK_STR(value, "two");
    length = 0;
    OK(MPI_Info_get_string(info, "second", &length, NULL, &flag));
    CHECK_EQ(length, 10);
    length = 7;
    OK(MPI_Info_get_string(info, "third", &length, value, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_delete(info, "first"));
    CHECK_CLASS(MPI_Info_delete(info, "first"), MPI_ERR_INFO_NOKEY);
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_EQ(n, 1);
    OK(MPI_Info_get_nkeys(copy, &n));
    CHECK_EQ(n, 2);
    CHECK_CLASS2(MPI_Info_get_nthkey(info, 1, key), MPI_ERR_ARG, MPI_ERR_INFO_KEY);
    OK(MPI_Info_free(&info));
    CHECK_SAME(info, MPI_INFO_NULL);
    OK(MPI_Info_free(&copy));
}

static void limits(void)
{
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY + 2], value[MPI_MAX_INFO_VAL + 2], got[MPI_MAX_INFO_VAL + 1];
    int length = sizeof got, flag = -1;
    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    OK(MPI_Info_create(&info));
    key[MPI_MAX_INFO_KEY - 1] = 0;
    value[MPI_MAX_INFO_VAL - 1] = 0;
    OK(MPI_Info_set(info, key, value));
    OK(MPI_Info_get_string(info, key, &length, got, &flag));
    CHECK_EQ(flag, 1);
    CHECK_STR(got, value);
    key[MPI_MAX_INFO_KEY - 1] = 'k';
    key[MPI_MAX_INFO_KEY + 1] = 0;
    CHECK_CLASS(MPI_Info_set(info, key, "1"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_set(info, "", "1"), MPI_ERR_INFO_KEY);
    value[MPI_MAX_INFO_VAL - 1] = 'v';
    value[MPI_MAX_INFO_VAL + 1] = 0;
    CHECK_CLASS(MPI_Info_set(info, "key", value), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_free(&info));
    CHECK_CLASS2(MPI_Info_set(MPI_INFO_NULL, "a", "b"), MPI_ERR_INFO, MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    basics();
    limits();
    return check_done();
}
