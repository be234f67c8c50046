// Deeply nested types against a naive walk: random trees of constructors, packed and unpacked,
// and sent, with the offsets of every element computed here independently.
// ranks: 1 2
#include "check.h"

enum { ROOM = 1 << 16, ELEMENTS = 1 << 13 };

typedef struct {
    MPI_Datatype type;
    int n;                 // elements
    long offsets[ELEMENTS]; // byte offset of each
    long low, high;        // bounds
} Tree;

static unsigned seed = 1;

static int pick(int from, int to)
{
    seed = seed * 1103515245u + 12345u;
    return from + (int)(seed >> 16) % (to - from + 1);
}

static void place(Tree *to, const Tree *inner, long at)
{
    for (int i = 0; i < inner->n && to->n < ELEMENTS; i++)
        to->offsets[to->n++] = at + inner->offsets[i];
    if (at + inner->low < to->low)
        to->low = at + inner->low;
    if (at + inner->high > to->high)
        to->high = at + inner->high;
}

static void wrap_blocks(Tree *to, const Tree *in, int kind)
{
    int lengths[3], count = pick(1, 3);
    MPI_Aint at[3];
    MPI_Datatype types[3] = {in->type, in->type, in->type};
    long extent = in->high - in->low, step = 0;
    for (int b = 0; b < count; b++) {
        lengths[b] = pick(1, 2);
        at[b] = step;
        for (int i = 0; i < lengths[b]; i++)
            place(to, in, at[b] + i * extent);
        step += lengths[b] * extent + 8 * pick(0, 3);
    }
    if (kind == 0)
        OK(MPI_Type_create_hindexed(count, lengths, at, in->type, &to->type));
    else
        OK(MPI_Type_create_struct(count, lengths, at, types, &to->type));
}

static void wrap(Tree *to, const Tree *in)
{
    long extent = in->high - in->low;
    int count = pick(1, 4), length = pick(1, 2), gap = pick(0, 3);
    to->n = 0, to->low = 1L << 40, to->high = -(1L << 40);
    switch (pick(0, 4)) {
    case 0:
        OK(MPI_Type_contiguous(count, in->type, &to->type));
        for (int i = 0; i < count; i++)
            place(to, in, i * extent);
        break;
    case 1:
        OK(MPI_Type_vector(count, length, length + gap, in->type, &to->type));
        for (int i = 0; i < count; i++)
            for (int k = 0; k < length; k++)
                place(to, in, (i * (length + gap) + k) * extent);
        break;
    case 2:
        wrap_blocks(to, in, 0);
        break;
    case 3:
        wrap_blocks(to, in, 1);
        break;
    default:
        OK(MPI_Type_create_resized(in->type, in->low, extent + 8 * gap, &to->type));
        place(to, in, 0);
        to->high = in->low + extent + 8 * gap;
    }
}

static void test(Tree *tree, int turn)
{
    static double data[ROOM / 8], back[ROOM / 8], flat[ELEMENTS];
    int wrong = 0, position = 0;
    MPI_Aint low, extent;
    OK(MPI_Type_get_extent(tree->type, &low, &extent));
    CHECK_EQ(low, tree->low);
    CHECK_EQ(extent, tree->high - tree->low);
    if (tree->high > ROOM || tree->n >= ELEMENTS)
        return;
    for (int i = 0; i < ROOM / 8; i++)
        data[i] = i + turn, back[i] = -1;
    OK(MPI_Pack(data, 1, tree->type, flat, sizeof flat, &position, MPI_COMM_SELF));
    CHECK_EQ(position, tree->n * 8);
    for (int i = 0; i < tree->n; i++)
        wrong += flat[i] != tree->offsets[i] / 8 + turn;
    OK(MPI_Sendrecv(data, 1, tree->type, next_rank(), turn, back, 1, tree->type,
                    previous_rank(), turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < tree->n; i++) {
        wrong += back[tree->offsets[i] / 8] != tree->offsets[i] / 8 + turn;
    }
    for (int i = 0; i < tree->n; i++)
        back[tree->offsets[i] / 8] = -1;
    for (int i = 0; i < ROOM / 8; i++)
        wrong += back[i] != -1;
    if (wrong) {
        char text[80];
        snprintf(text, sizeof text, "tree %d: %d of %d elements wrong", turn, wrong, tree->n);
        check_failed(__FILE__, __LINE__, text);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static Tree trees[2];
    for (int turn = 0; turn < 300; turn++) {
        Tree *now = &trees[0], *next = &trees[1];
        now->n = 1, now->offsets[0] = 0, now->low = 0, now->high = 8;
        OK(MPI_Type_dup(MPI_DOUBLE, &now->type));
        for (int depth = pick(1, 4); depth > 0; depth--) {
            wrap(next, now);
            OK(MPI_Type_free(&now->type));
            Tree *other = now;
            now = next, next = other;
        }
        OK(MPI_Type_commit(&now->type));
        test(now, turn);
        OK(MPI_Type_free(&now->type));
    }
    return check_done();
}
