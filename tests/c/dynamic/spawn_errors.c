// What cannot be started is an error on all processes, and the job goes on.
// ranks: 1 2 4
// mpich: it ends the job where a program does not exist
#include "check.h"
#include "child.h"

static MPI_Comm children = MPI_COMM_NULL;

static void refused(const char *command, int count, const char *key, const char *value, int class,
                    const char *word)
{
    int codes[300], length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Info hints = MPI_INFO_NULL;
    if (key) {
        OK(MPI_Info_create(&hints));
        OK(MPI_Info_set(hints, key, value));
    }
    for (int i = 0; i < 300; i++)
        codes[i] = -1;
    int code = MPI_Comm_spawn(command, MPI_ARGV_NULL, count, hints, 0, MPI_COMM_WORLD, &children,
                              codes);
    CHECK_EQ(check_class_of(code), class);
    OK(MPI_Error_string(code, text, &length));
    if (!strstr(text, word))
        check_failed(__FILE__, __LINE__, text);
    for (int i = 0; i < count && rank == 0; i++)
        CHECK_EQ(check_class_of(codes[i]), class);
    CHECK_EQ(codes[count < 0 ? 0 : count], -1);
    if (key)
        OK(MPI_Info_free(&hints));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (is_child()) {
        OK(MPI_Comm_disconnect(&parent));
        return check_done();
    }
    refused("no-such-program", 2, NULL, NULL, MPI_ERR_SPAWN, "no-such-program");
    refused("/etc/passwd", 1, NULL, NULL, MPI_ERR_SPAWN, "executable");
    refused("sh", 1, "wdir", "/no/such/folder", MPI_ERR_SPAWN, "/no/such/folder");
    refused("sh", 1, "host", "no-such-host.example", MPI_ERR_SPAWN, "no-such-host.example");
    refused("sh", -1, NULL, NULL, MPI_ERR_ARG, "maxprocs");
    refused("sh", 0, NULL, NULL, MPI_ERR_ARG, "maxprocs");
    refused(argv[0], 257, NULL, NULL, MPI_ERR_SPAWN, "257");
    CHECK_CLASS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, MPI_COMM_WORLD,
                               &children, MPI_ERRCODES_IGNORE),
                MPI_ERR_ROOT);
    OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                      MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_disconnect(&children));
    return check_done();
}
