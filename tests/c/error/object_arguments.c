// Bad arguments of calls that make objects: types, communicators, groups, topologies, keys.
// ranks: 1 2
#include "check.h"

static void types(void)
{
    MPI_Datatype type;
    int lengths[2] = {1, -1}, at[2] = {0, 4}, sizes[2] = {4, 4}, sub[2] = {2, 5},
        start[2] = {0, 0};
    CHECK_CLASS2(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT, MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
    CHECK_CLASS2(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG, MPI_ERR_COUNT);
    CHECK_CLASS2(MPI_Type_indexed(2, lengths, at, MPI_INT, &type), MPI_ERR_ARG, MPI_ERR_COUNT);
    for (int i = 0; i < 2 && is_starling(); i++) { // MPICH 5.0.2 takes what sticks out
        CHECK_CLASS2(MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &type),
                     MPI_ERR_ARG, MPI_ERR_DIMS);
        sub[1] = 3, start[1] = 2;
    }
    start[1] = 0;
    CHECK_CLASS(MPI_Type_create_subarray(2, sizes, sub, start, 999, MPI_INT, &type), MPI_ERR_ARG);
    type = MPI_DATATYPE_NULL;
    CHECK_CLASS(MPI_Type_commit(&type), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &sizes[0]), MPI_ERR_TYPE);
}

static void communicators(void)
{
    MPI_Comm comm = MPI_COMM_NULL, world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    MPI_Group world_group, group;
    int n, twice[2] = {0, 0}, far = size;
    CHECK_CLASS(MPI_Comm_free(&comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&self), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_rank(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_dup(MPI_COMM_NULL, &comm), MPI_ERR_COMM);
    if (is_starling()) { // MPICH 5.0.2 takes any colour, and an intracommunicator's remote size
        CHECK_CLASS(MPI_Comm_split(MPI_COMM_WORLD, -17, 0, &comm), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
    }
    CHECK_NE(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_SUCCESS);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world_group));
    CHECK_CLASS(MPI_Group_incl(world_group, 1, &far, &group), MPI_ERR_RANK);
    if (is_starling()) // nor does it look for duplicates
        CHECK_CLASS(MPI_Group_incl(world_group, 2, twice, &group), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    OK(MPI_Group_free(&world_group));
    CHECK_CLASS(MPI_Group_free(&world_group), MPI_ERR_GROUP);
}

static void others(void)
{
    MPI_Comm cart;
    int dims[1] = {size + 1}, periods[1] = {0}, key = MPI_KEYVAL_INVALID, flag;
    void *value;
    MPI_Op op = MPI_SUM;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_NE(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart), MPI_SUCCESS);
    CHECK_CLASS(MPI_Cart_rank(MPI_COMM_WORLD, dims, &flag), MPI_ERR_TOPOLOGY);
    CHECK_NE(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag), MPI_SUCCESS);
    CHECK_NE(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_NE(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    MPI_Info info = MPI_INFO_NULL;
    CHECK_CLASS2(MPI_Info_free(&info), MPI_ERR_INFO, MPI_ERR_ARG);
    void *memory = NULL;
    CHECK_NE(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    types();
    communicators();
    others();
    return check_done();
}
