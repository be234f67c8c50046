// Several programs at once form one world: their order, arguments, hints and MPI_APPNUM.
// ranks: 1 3
#include "check.h"
#include "child.h"

static const char newline[] = "two\nlines = ' \"$x\" ";

static void check_child(int argc, char **argv)
{
    int *number, found, expected = rank == 0 ? 0 : 1;
    CHECK_EQ(size, 3);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found));
    CHECK(found);
    CHECK_EQ(*number, expected);
    CHECK_EQ(argc, expected == 0 ? 3 : 1);
    char folder[1000] = "";
    CHECK(getcwd(folder, sizeof folder) != NULL);
    if (expected == 0) {
        CHECK_STR(argv[1], newline);
        CHECK_STR(argv[2], "");
        CHECK_STR(folder, "/");
        CHECK(getenv("STARLING_TEST_CHILD") == NULL);
    } else {
        CHECK_STR(getenv("STARLING_TEST_CHILD"), "a = b");
    }
    greet(parent, 2, 1);
    OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (is_child()) {
        check_child(argc, argv);
        return check_done();
    }
    char program[2000];
    CHECK(realpath(argv[0], program) != NULL);
    char *commands[2] = {program, program};
    char text[sizeof newline], empty[1] = "";
    strcpy(text, newline);
    char *first[3] = {text, empty, NULL}, *second[1] = {NULL};
    char **arguments[2] = {first, second};
    int counts[2] = {1, 2}, codes[3] = {-1, -1, -1};
    MPI_Info hints[2];
    OK(MPI_Info_create(&hints[0]));
    OK(MPI_Info_set(hints[0], "wdir", "/"));
    OK(MPI_Info_create(&hints[1]));
    OK(MPI_Info_set(hints[1], "env", "STARLING_TEST_CHILD=a = b"));
    MPI_Comm children;
    OK(MPI_Comm_spawn_multiple(2, commands, arguments, counts, hints, 0, MPI_COMM_WORLD, &children,
                               codes));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(codes[i], MPI_SUCCESS);
    greet(children, 1, 2);
    OK(MPI_Comm_disconnect(&children));
    OK(MPI_Info_free(&hints[0]));
    OK(MPI_Info_free(&hints[1]));
    return check_done();
}
