// Error classes and codes: strings of all predefined classes, own classes, codes and strings.
// ranks: 1
#include "check.h"

static void predefined(void)
{
    static const int classes[] = {
        MPI_ERR_BUFFER, MPI_ERR_COUNT,    MPI_ERR_TYPE,     MPI_ERR_TAG,      MPI_ERR_COMM,
        MPI_ERR_RANK,   MPI_ERR_REQUEST,  MPI_ERR_ROOT,     MPI_ERR_GROUP,    MPI_ERR_OP,
        MPI_ERR_DIMS,   MPI_ERR_TOPOLOGY, MPI_ERR_ARG,      MPI_ERR_UNKNOWN,  MPI_ERR_TRUNCATE,
        MPI_ERR_OTHER,  MPI_ERR_INTERN,   MPI_ERR_IN_STATUS, MPI_ERR_PENDING, MPI_ERR_KEYVAL,
        MPI_ERR_NO_MEM, MPI_ERR_WIN,      MPI_ERR_FILE,     MPI_ERR_INFO_KEY,
        MPI_ERR_UNSUPPORTED_OPERATION};
    char text[MPI_MAX_ERROR_STRING], seen[30][MPI_MAX_ERROR_STRING];
    int length = -1, n = sizeof classes / sizeof *classes;
    for (int i = 0; i < n; i++) {
        CHECK_EQ(check_class_of(classes[i]), classes[i]);
        OK(MPI_Error_string(classes[i], text, &length));
        CHECK_EQ(length, strlen(text));
        CHECK(length > 0);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(seen[k], text) != 0);
        strcpy(seen[i], text);
    }
    CHECK_EQ(MPI_SUCCESS, 0);
    OK(MPI_Error_string(MPI_SUCCESS, text, &length));
    CHECK(length > 0);
}

static void own(void)
{
    int class = -1, code = -1, other = -1, length = -1, *last, flag, before;
    char text[MPI_MAX_ERROR_STRING];
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    before = *last;
    OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK(*last > before);
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_code(MPI_ERR_TAG, &other));
    CHECK_EQ(check_class_of(code), class);
    CHECK_EQ(check_class_of(class), class);
    CHECK_EQ(check_class_of(other), MPI_ERR_TAG);
    OK(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "");
    OK(MPI_Add_error_string(code, "the nest is empty"));
    OK(MPI_Add_error_string(class, "nests"));
    OK(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "the nest is empty");
    CHECK_EQ(length, 17);
    OK(MPI_Error_string(class, text, &length));
    CHECK_STR(text, "nests");
    OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
    if (is_starling()) // MPICH 5.0.2 takes it
        CHECK_NE(MPI_Add_error_string(MPI_ERR_TAG, "not mine"), MPI_SUCCESS);
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_string(class));
    CHECK_NE(MPI_Remove_error_class(class), MPI_SUCCESS); // it still has a code
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class));
    OK(MPI_Remove_error_code(other));
    CHECK_NE(MPI_Remove_error_class(MPI_ERR_TAG), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    predefined();
    own();
    return check_done();
}
