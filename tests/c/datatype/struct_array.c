// An array of C structs with holes: members arrive, padding is not touched, at all sizes and
// with fields of several kinds.
// ranks: 1 2 4
#include "check.h"

typedef struct {
    char tag;
    double value;
    short pair[2];
    char skipped[5];
    float _Complex z;
} Item;

static MPI_Datatype item_type(void)
{
    Item probe;
    int lengths[4] = {1, 1, 2, 1};
    MPI_Aint base, at[4];
    MPI_Datatype members[4] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_C_FLOAT_COMPLEX}, raw, type;
    OK(MPI_Get_address(&probe, &base));
    OK(MPI_Get_address(&probe.tag, &at[0]));
    OK(MPI_Get_address(&probe.value, &at[1]));
    OK(MPI_Get_address(&probe.pair, &at[2]));
    OK(MPI_Get_address(&probe.z, &at[3]));
    for (int i = 0; i < 4; i++)
        at[i] = MPI_Aint_diff(at[i], base);
    OK(MPI_Type_create_struct(4, lengths, at, members, &raw));
    OK(MPI_Type_create_resized(raw, 0, sizeof(Item), &type));
    OK(MPI_Type_free(&raw));
    OK(MPI_Type_commit(&type));
    return type;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 2, 3, 100, 341, 342, 5000, 50000};
    MPI_Datatype type = item_type();
    for (int s = 0; s < 9; s++) {
        int n = sizes[s], wrong = 0;
        Item *out = malloc((n + 1) * sizeof *out), *in = malloc((n + 1) * sizeof *in);
        memset(in, 0x11, (n + 1) * sizeof *in);
        for (int i = 0; i < n; i++) {
            memset(&out[i], 0x77, sizeof out[i]);
            out[i].tag = (char)(i + rank), out[i].value = i * 0.5;
            out[i].pair[0] = (short)i, out[i].pair[1] = (short)-i;
            __real__ out[i].z = (float)rank, __imag__ out[i].z = (float)i;
        }
        OK(MPI_Sendrecv(out, n, type, next_rank(), s, in, n, type, previous_rank(), s,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++) {
            wrong += in[i].tag != (char)(i + previous_rank()) || in[i].value != i * 0.5;
            wrong += in[i].pair[0] != (short)i || in[i].pair[1] != (short)-i;
            wrong += __real__ in[i].z != (float)previous_rank() || __imag__ in[i].z != (float)i;
            for (int k = 0; k < 5; k++)
                wrong += in[i].skipped[k] != 0x11;
        }
        wrong += in[n].tag != 0x11;
        CHECK_EQ(wrong, 0);
        free(out);
        free(in);
    }
    OK(MPI_Type_free(&type));
    return check_done();
}
