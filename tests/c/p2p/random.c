// A random plan of messages, the same on all ranks: modes, sizes, tags, communicators and types
// differ, receives are posted early or late, named or wild.
// ranks: 2 3 4 8
#include "check.h"

enum { N = 600, ROOM = 100000 };

typedef struct {
    int from, to, bytes, mode, early, second, strided;
} Message;

static Message plan[N];
static unsigned long long state = 42;

static int pick(int below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)below);
}

static MPI_Datatype twos;
static MPI_Comm comms[2];

static void post(int i, char **data, MPI_Request *request)
{
    Message *m = &plan[i];
    data[i] = calloc(1, 2 * (size_t)m->bytes + 8);
    if (m->strided)
        OK(MPI_Irecv(data[i], m->bytes / 2, twos, m->from, i, comms[m->second], request));
    else
        OK(MPI_Irecv(data[i], m->bytes, MPI_BYTE, m->from, i, comms[m->second], request));
}

static void check(int i, const char *data)
{
    Message *m = &plan[i];
    int wrong = 0;
    for (int k = 0; k < m->bytes; k++) {
        int at = m->strided ? k / 2 * 4 + k % 2 : k;
        wrong += (unsigned char)data[at] != pattern_at((size_t)k, i);
    }
    if (wrong) {
        char text[120];
        snprintf(text, sizeof text, "message %d (%d bytes, mode %d, strided %d): %d wrong", i,
                 m->bytes, m->mode, m->strided, wrong);
        check_failed(__FILE__, __LINE__, text);
    }
}

static void start(int i, char **data, MPI_Request *request)
{
    Message *m = &plan[i];
    data[i] = malloc(m->bytes + 1);
    pattern_fill(data[i], m->bytes, i);
    if (m->mode == 0)
        OK(MPI_Isend(data[i], m->bytes, MPI_BYTE, m->to, i, comms[m->second], request));
    else
        OK(MPI_Issend(data[i], m->bytes, MPI_BYTE, m->to, i, comms[m->second], request));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 2, 8, 40, 42, 300, 4096, 8192, 8194, 30000, ROOM};
    static char *in[N], *out[N];
    static MPI_Request requests[2 * N];
    int at = 0;
    comms[0] = MPI_COMM_WORLD;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
    OK(MPI_Type_create_resized(MPI_INT16_T, 0, 4, &twos));
    OK(MPI_Type_commit(&twos));
    for (int i = 0; i < N; i++) {
        Message *m = &plan[i];
        m->from = pick(size), m->to = pick(size), m->bytes = sizes[pick(11)];
        m->mode = pick(2), m->early = pick(2), m->second = pick(2), m->strided = pick(3) == 0;
    }
    for (int i = 0; i < N; i++)
        if (plan[i].to == rank && plan[i].early)
            post(i, in, &requests[at++]);
    for (int i = 0; i < N; i++)
        if (plan[i].from == rank)
            start(i, out, &requests[at++]);
    for (int i = N - 1; i >= 0; i--)
        if (plan[i].to == rank && !plan[i].early)
            post(i, in, &requests[at++]);
    OK(MPI_Waitall(at, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++) {
        if (plan[i].to == rank)
            check(i, in[i]);
        free(in[i]);
        free(out[i]);
    }
    OK(MPI_Type_free(&twos));
    OK(MPI_Comm_free(&comms[1]));
    return check_done();
}
