// Every predefined type has the size and extent of its C type, and a name.
// ranks: 1
#include "check.h"
#include "types.h"

#define TEST(type, datatype)                                                                   \
    do {                                                                                       \
        int bytes = -1, length = 0;                                                            \
        MPI_Aint low = -1, extent = -1;                                                        \
        char name[MPI_MAX_OBJECT_NAME] = "";                                                   \
        OK(MPI_Type_size(datatype, &bytes));                                                   \
        OK(MPI_Type_get_extent(datatype, &low, &extent));                                      \
        OK(MPI_Type_get_name(datatype, name, &length));                                        \
        if (bytes != (int)sizeof(type) || low != 0 || extent != (MPI_Aint)sizeof(type))        \
            check_failed(__FILE__, __LINE__, #datatype);                                       \
        if (strcmp(name, #datatype) != 0 && !same_type(name, #datatype))                       \
            check_failed(__FILE__, __LINE__, name);                                            \
    } while (0);

// Two names of one type.
static int same_type(const char *name, const char *other)
{
    static const char *const pairs[][2] = {{"MPI_LONG_LONG", "MPI_LONG_LONG_INT"},
                                           {"MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX"}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(name, pairs[i][k]) && !strcmp(other, pairs[i][1 - k]))
                return 1;
    return 0;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    C_INTEGERS(TEST)
    MULTI_LANGUAGE(TEST)
    FLOATS(TEST)
    COMPLEXES(TEST)
    LOGICALS(TEST)
    CHARACTERS(TEST)
    BYTES(TEST)
    // Committing or naming a predefined type is allowed, freeing is not.
    MPI_Datatype type = MPI_INT;
    OK(MPI_Type_commit(&type));
    CHECK_SAME(type, MPI_INT);
    CHECK_CLASS2(MPI_Type_free(&type), MPI_ERR_TYPE, MPI_ERR_ARG);
    CHECK_SAME(type, MPI_INT);
    return check_done();
}
