// Categories: every variable and event is in one, and each can be found by its name.
// ranks: 1
// mpich: there a variable may be in none
#include "check.h"

int main(void)
{
    int provided, n = -1, cvars = -1, pvars = -1, events = -1, stamp = -1, later = -2;
    T_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    T_OK(MPI_T_category_changed(&stamp));
    T_OK(MPI_T_category_get_num(&n));
    T_OK(MPI_T_cvar_get_num(&cvars));
    T_OK(MPI_T_pvar_get_num(&pvars));
    T_OK(MPI_T_event_get_num(&events));
    CHECK_GE(n, 2);
    int *cvar_seen = calloc(cvars, sizeof(int)), *pvar_seen = calloc(pvars, sizeof(int));
    int list[500], event_seen = 0;
    for (int i = 0; i < n; i++) {
        char name[100], desc[500];
        int name_len = sizeof name, desc_len = sizeof desc, c = -1, p = -1, k = -1, e = -1;
        int index = -1;
        T_OK(MPI_T_category_get_info(i, name, &name_len, desc, &desc_len, &c, &p, &k));
        CHECK_EQ(k, 0);
        CHECK_EQ(desc_len, strlen(desc) + 1);
        T_OK(MPI_T_category_get_index(name, &index));
        CHECK_EQ(index, i);
        T_OK(MPI_T_category_get_num_events(i, &e));
        T_OK(MPI_T_category_get_cvars(i, c, list));
        for (int j = 0; j < c; j++)
            cvar_seen[list[j]]++;
        T_OK(MPI_T_category_get_pvars(i, p, list));
        for (int j = 0; j < p; j++)
            pvar_seen[list[j]]++;
        T_OK(MPI_T_category_get_events(i, e, list));
        event_seen += e;
        T_OK(MPI_T_category_get_categories(i, 10, list));
        // No more than there is room for.
        list[0] = list[1] = -7;
        T_OK(MPI_T_category_get_cvars(i, 1, list));
        CHECK_EQ(list[1], -7);
        T_OK(MPI_T_category_get_cvars(i, 0, NULL));
        T_OK(MPI_T_category_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    }
    for (int i = 0; i < cvars; i++)
        CHECK_EQ(cvar_seen[i], 1);
    for (int i = 0; i < pvars; i++)
        CHECK_EQ(pvar_seen[i], 1);
    CHECK_EQ(event_seen, events);
    T_FAILS(MPI_T_category_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_category_get_cvars(-1, 1, list), MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_category_get_pvars(n, 1, list), MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_category_get_events(n, 1, list), MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_category_get_categories(n, 1, list), MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_category_get_index("no such", &later), MPI_T_ERR_INVALID_NAME);
    T_OK(MPI_T_category_changed(&later));
    CHECK_EQ(later, stamp);
    T_OK(MPI_T_finalize());
    T_FAILS(MPI_T_category_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    free(cvar_seen);
    free(pvar_seen);
    return check_failures > 0;
}
