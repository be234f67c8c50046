// Info calls work before MPI_Init and after MPI_Finalize (section 11.4.1), MPI_INFO_ENV is there.
// ranks: 1 2
#include "check.h"

static void use(void)
{
    MPI_Info info;
    char value[20];
    int length = sizeof value, flag = 0;
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "key", "value"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, "key", &length, value, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_STR(value, "value");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    use();
    check_init(&argc, &argv);
    use();
    int n = -1;
    OK(MPI_Info_get_nkeys(MPI_INFO_ENV, &n));
    CHECK_GE(n, 0);
    for (int i = 0; i < n; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
        int length = sizeof value, flag = 0;
        OK(MPI_Info_get_nthkey(MPI_INFO_ENV, i, key));
        OK(MPI_Info_get_string(MPI_INFO_ENV, key, &length, value, &flag));
        CHECK_EQ(flag, 1);
    }
    MPI_Info made = MPI_INFO_NULL;
    OK(MPI_Info_create_env(argc, argv, &made));
    OK(MPI_Info_free(&made));
    int code = check_done();
    use();
    return code || check_failures > 0;
}
