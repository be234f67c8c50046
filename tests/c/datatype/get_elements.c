// MPI_Get_elements counts basic elements of partly filled types; MPI_Get_count says UNDEFINED.
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    // Example 5.12 of the standard.
    MPI_Datatype two;
    MPI_Status status;
    float data[4] = {0};
    OK(MPI_Type_contiguous(2, MPI_FLOAT, &two));
    OK(MPI_Type_commit(&two));
    int ones[2] = {1, 1}, count = -1, elements = -1;
    MPI_Count large = -1;
    MPI_Aint at[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, mixed;
    OK(MPI_Type_create_struct(2, ones, at, types, &mixed));
    OK(MPI_Type_commit(&mixed));
    char buf[64];
    if (rank == 0) {
        OK(MPI_Send(data, 2, MPI_FLOAT, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Send(data, 3, MPI_FLOAT, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Send(data, 0, MPI_FLOAT, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Send(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Send(buf, 2, mixed, 1, 0, MPI_COMM_WORLD));
    } else {
        static const int want_count[3] = {1, MPI_UNDEFINED, 0}, want_elements[3] = {2, 3, 0};
        for (int i = 0; i < 3; i++) {
            OK(MPI_Recv(data, 2, two, 0, 0, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, two, &count));
            CHECK_EQ(count, want_count[i]);
            OK(MPI_Get_elements(&status, two, &elements));
            CHECK_EQ(elements, want_elements[i]);
            OK(MPI_Get_elements_x(&status, two, &large));
            CHECK_EQ(large, want_elements[i]);
            OK(MPI_Get_elements_c(&status, two, &large));
            CHECK_EQ(large, want_elements[i]);
        }
        OK(MPI_Recv(buf, 3, mixed, 0, 0, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, mixed, &count));
        CHECK_EQ(count, MPI_UNDEFINED);
        OK(MPI_Get_elements(&status, mixed, &elements));
        CHECK_EQ(elements, 1);
        OK(MPI_Recv(buf, 3, mixed, 0, 0, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, mixed, &count));
        CHECK_EQ(count, 2);
        OK(MPI_Get_elements(&status, mixed, &elements));
        CHECK_EQ(elements, 4);
    }
    OK(MPI_Type_free(&two));
    OK(MPI_Type_free(&mixed));
    return check_done();
}
