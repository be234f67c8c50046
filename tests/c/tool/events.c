// Events: a callback is told of each message that arrives before its receive, and reads what it
// was; without a callback that may run inside MPI the event is dropped.
// ranks: 2
// mpich: the event is ours
#include "check.h"

enum { COUNT = 5, TAG = 40, BYTES = 24 };

static int seen, dropped, freed, marker;
static MPI_Count last_time;
static MPI_T_event_instance last_instance;
static MPI_Aint places[3];

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration,
                     MPI_T_cb_safety safety, void *user_data)
{
    int source = -1, tag = -1, from = -1;
    unsigned long bytes = 0;
    MPI_Count time = -1;
    char record[64];
    (void)registration;
    CHECK(user_data == &marker);
    CHECK_EQ(safety, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    T_OK(MPI_T_event_read(instance, 0, &source));
    T_OK(MPI_T_event_read(instance, 1, &tag));
    T_OK(MPI_T_event_read(instance, 2, &bytes));
    T_FAILS(MPI_T_event_read(instance, 3, &bytes), MPI_T_ERR_INVALID_INDEX);
    T_OK(MPI_T_event_copy(instance, record));
    CHECK_EQ(memcmp(record + places[0], &source, sizeof source), 0);
    CHECK_EQ(memcmp(record + places[2], &bytes, sizeof bytes), 0);
    T_OK(MPI_T_event_get_source(instance, &from));
    CHECK_EQ(from, 0);
    T_OK(MPI_T_event_get_timestamp(instance, &time));
    CHECK_GE(time, last_time);
    last_time = time;
    last_instance = instance;
    if (tag >= TAG && tag < TAG + COUNT && bytes == BYTES) {
        CHECK_EQ(tag, TAG + seen);
        CHECK_EQ(source, 0);
        seen++;
    }
}

static void on_dropped(MPI_Count count, MPI_T_event_registration registration, int source,
                       MPI_T_cb_safety safety, void *user_data)
{
    (void)registration, (void)source, (void)safety, (void)user_data;
    dropped += (int)count;
}

static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    (void)registration, (void)safety;
    CHECK(user_data == &marker);
    freed++;
}

// Five messages that nobody waits for, then what was sent behind them.
static void messages(void)
{
    char data[BYTES] = {0};
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++)
            OK(MPI_Send(data, BYTES, MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD));
        OK(MPI_Send(data, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
        return;
    }
    OK(MPI_Recv(data, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Recv(data, BYTES, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void describe(int index)
{
    char name[50], desc[300];
    int name_len = sizeof name, desc_len = sizeof desc, verbosity, elements = 2, bind, again = -1;
    MPI_Datatype types[3] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_T_enum items;
    MPI_Info info;
    T_OK(MPI_T_event_get_info(index, name, &name_len, &verbosity, types, places, &elements, &items,
                              &info, desc, &desc_len, &bind));
    CHECK_EQ(elements, 3);
    CHECK_SAME(types[2], MPI_DATATYPE_NULL); // there was room for two
    OK(MPI_Info_free(&info));
    T_OK(MPI_T_event_get_info(index, NULL, NULL, NULL, types, places, &elements, NULL, NULL, NULL,
                              NULL, NULL));
    CHECK_SAME(types[0], MPI_INT);
    CHECK_SAME(types[2], MPI_UNSIGNED_LONG);
    CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
    T_OK(MPI_T_event_get_index(name, &again));
    CHECK_EQ(again, index);
    T_FAILS(MPI_T_event_get_index("no such", &again), MPI_T_ERR_INVALID_NAME);
    T_FAILS(MPI_T_event_get_info(1000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL), MPI_T_ERR_INVALID_INDEX);
}

static void sources(void)
{
    int n = -1, ordering = -1, length = 60;
    MPI_Count ticks = 0, max = 0, one = 0, two = 0;
    char name[60];
    T_OK(MPI_T_source_get_num(&n));
    CHECK_EQ(n, 1);
    MPI_T_source_order order;
    T_OK(MPI_T_source_get_info(0, name, &length, NULL, NULL, &order, &ticks, &max, NULL));
    ordering = order;
    CHECK_EQ(ordering, MPI_T_SOURCE_ORDERED);
    CHECK_EQ(ticks, 1000000000);
    CHECK(max > ticks);
    T_OK(MPI_T_source_get_timestamp(0, &one));
    T_OK(MPI_T_source_get_timestamp(0, &two));
    CHECK_GE(two, one);
    T_FAILS(MPI_T_source_get_timestamp(1, &one), MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            MPI_T_ERR_INVALID_INDEX);
}

static void wrong(MPI_T_event_registration registration)
{
    int buffer[4];
    MPI_Info info;
    T_FAILS(MPI_T_event_read(last_instance, 0, buffer), MPI_T_ERR_INVALID_HANDLE);
    T_FAILS(MPI_T_event_register_callback(registration, 5, MPI_INFO_NULL, NULL, on_event),
            MPI_T_ERR_INVALID);
    T_FAILS(MPI_T_event_handle_alloc(99, NULL, MPI_INFO_NULL, &registration),
            MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, &info),
            MPI_T_ERR_INVALID);
}

int main(int argc, char **argv)
{
    int provided, index = -1;
    MPI_T_event_registration registration, stale;
    MPI_Info info;
    check_init(&argc, &argv);
    T_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    T_OK(MPI_T_event_get_index("unexpected_message", &index));
    describe(index);
    sources();
    T_OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
    T_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                       MPI_INFO_NULL, &marker, on_event));
    T_OK(MPI_T_event_set_dropped_handler(registration, on_dropped));
    T_OK(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL));
    T_OK(MPI_T_event_handle_get_info(registration, &info));
    OK(MPI_Info_free(&info));
    T_OK(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                       MPI_INFO_NULL));
    T_OK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, &info));
    OK(MPI_Info_free(&info));
    messages();
    CHECK_EQ(seen, rank == 1 ? COUNT : 0);
    CHECK_EQ(dropped, 0);
    if (rank == 1)
        wrong(registration);
    // A callback that must not run inside MPI does not, and the dropped events are counted.
    T_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                       MPI_INFO_NULL, NULL, NULL));
    T_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &marker,
                                       on_event));
    messages();
    CHECK_EQ(seen, rank == 1 ? COUNT : 0);
    CHECK_GE(dropped, rank == 1 ? COUNT : 0);
    stale = registration;
    T_OK(MPI_T_event_handle_free(registration, &marker, on_free));
    CHECK_EQ(freed, 1);
    T_FAILS(MPI_T_event_handle_free(stale, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    dropped = 0;
    messages();
    CHECK_EQ(dropped, 0);
    T_OK(MPI_T_finalize());
    return check_done();
}
