// MPI_Comm_compare in all its results; names of communicators and types.
// ranks: 1 2 4
#include "check.h"

static int compare(MPI_Comm a, MPI_Comm b)
{
    int result = -1;
    OK(MPI_Comm_compare(a, b, &result));
    return result;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm copy, turned, self;
    CHECK_EQ(compare(MPI_COMM_WORLD, MPI_COMM_WORLD), MPI_IDENT);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_EQ(compare(MPI_COMM_WORLD, copy), MPI_CONGRUENT);
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned));
    CHECK_EQ(compare(MPI_COMM_WORLD, turned), size > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
    OK(MPI_Comm_dup(MPI_COMM_SELF, &self));
    CHECK_EQ(compare(MPI_COMM_WORLD, self), size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT);
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int length = -1;
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_STR(name, "MPI_COMM_WORLD");
    CHECK_EQ(length, 14);
    OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK_STR(name, "MPI_COMM_SELF");
    OK(MPI_Comm_get_name(turned, name, &length));
    CHECK_STR(name, "");
    CHECK_EQ(length, 0);
    OK(MPI_Comm_set_name(turned, "turned round"));
    OK(MPI_Comm_get_name(turned, name, &length));
    CHECK_STR(name, "turned round");
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    OK(MPI_Comm_set_name(turned, longest));
    OK(MPI_Comm_get_name(turned, name, &length));
    CHECK_STR(name, longest);
    CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Comm_set_name(MPI_COMM_WORLD, "everybody"));
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_STR(name, "everybody");
    MPI_Datatype type;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK_EQ(length, 0);
    OK(MPI_Type_set_name(type, "two ints"));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK_STR(name, "two ints");
    OK(MPI_Type_free(&type));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&turned));
    OK(MPI_Comm_free(&self));
    return check_done();
}
