// What later steps bring is there already, names itself and returns its class: spawned
// processes.
// ranks: 1 2
// mpich: it has them
#include "check.h"

static void refuses(int code, const char *name, int line)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (check_class_of(code) != MPI_ERR_UNSUPPORTED_OPERATION)
        check_failed(__FILE__, line, name);
    OK(MPI_Error_string(code, text, &length));
    if (!strstr(text, name))
        check_failed(__FILE__, line, text);
}

#define REFUSES(name, ...) refuses(name(__VA_ARGS__), #name, __LINE__)

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int codes[1];
    MPI_Comm spawned = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME];
    REFUSES(MPI_Comm_spawn, "program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF,
            &spawned, codes);
    REFUSES(MPI_Open_port, MPI_INFO_NULL, port);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_done();
}
