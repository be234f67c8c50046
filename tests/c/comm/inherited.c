// What a new communicator takes over: the error handler always, hints and attributes by the rules
// of each call; names are its own and are cut to what the standard allows.
// ranks: 1 4
#include "check.h"

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void has(MPI_Comm comm, MPI_Errhandler wanted, int line)
{
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Errhandler got;
    OK(MPI_Comm_get_errhandler(comm, &got));
    if (got != wanted && is_starling()) // MPICH 5.0.2 does not do it in all calls
        check_failed(__FILE__, line, "another error handler");
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Comm_free(&comm));
}

static void handlers(void)
{
    MPI_Comm parent, made;
    MPI_Errhandler own;
    MPI_Group group;
    MPI_Request request;
    int dims[1] = {size}, periods[1] = {0}, remain[1] = {1};
    OK(MPI_Comm_create_errhandler(on_error, &own));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
    OK(MPI_Comm_set_errhandler(parent, own));
    OK(MPI_Comm_group(parent, &group));
    OK(MPI_Comm_dup(parent, &made));
    has(made, own, __LINE__);
    OK(MPI_Comm_idup(parent, &made, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    has(made, own, __LINE__);
    OK(MPI_Comm_split(parent, rank % 2, 0, &made));
    has(made, own, __LINE__);
    OK(MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    has(made, own, __LINE__);
    OK(MPI_Comm_create(parent, group, &made));
    has(made, own, __LINE__);
    OK(MPI_Comm_create_group(parent, group, 3, &made));
    has(made, own, __LINE__);
    OK(MPI_Dist_graph_create_adjacent(parent, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &made));
    has(made, own, __LINE__);
    MPI_Comm cart;
    OK(MPI_Cart_create(parent, 1, dims, periods, 0, &cart));
    OK(MPI_Cart_sub(cart, remain, &made));
    has(made, own, __LINE__);
    has(cart, own, __LINE__);
    OK(MPI_Group_free(&group));
    OK(MPI_Errhandler_free(&own));
    // The object lives on with the parent, and get makes a handle again.
    OK(MPI_Comm_get_errhandler(parent, &own));
    CHECK_NE((intptr_t)own, (intptr_t)MPI_ERRHANDLER_NULL);
    OK(MPI_Errhandler_free(&own));
    OK(MPI_Comm_free(&parent));
}

static void names(void)
{
    char text[MPI_MAX_OBJECT_NAME], longer[300];
    int length = -1;
    MPI_Comm made;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    OK(MPI_Comm_get_name(made, text, &length));
    CHECK_EQ(length, 0);
    CHECK_STR(text, "");
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    OK(MPI_Comm_set_name(made, longer));
    OK(MPI_Comm_get_name(made, text, &length));
    CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQ(strlen(text), length);
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_get_name(MPI_COMM_NULL, text, &length)); // section 7.8
    CHECK_STR(text, "MPI_COMM_NULL");
}

static void topologies(void)
{
    MPI_Comm cart, copy;
    MPI_Request request;
    int dims[2] = {size, 1}, periods[2] = {1, 0}, got[2] = {0}, wraps[2], at[2], kind;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    for (int i = 0; i < 2; i++) {
        if (i == 0) {
            OK(MPI_Comm_dup(cart, &copy));
        } else {
            OK(MPI_Comm_idup(cart, &copy, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        OK(MPI_Topo_test(copy, &kind));
        CHECK_EQ(kind, MPI_CART);
        OK(MPI_Cart_get(copy, 2, got, wraps, at));
        CHECK(got[0] == size && got[1] == 1 && wraps[0] && !wraps[1] && at[0] == rank);
        OK(MPI_Comm_free(&copy));
    }
    OK(MPI_Comm_split(cart, 0, 0, &copy));
    OK(MPI_Topo_test(copy, &kind));
    CHECK_EQ(kind, MPI_UNDEFINED);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&cart));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    handlers();
    names();
    topologies();
    return check_done();
}
