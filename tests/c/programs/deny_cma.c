// Starts a program that may not copy from or to other processes' memory: a seccomp filter answers
// EPERM to process_vm_readv and process_vm_writev, as containers do. Not an MPI program itself.
//
//     deny_cma all|odd PROGRAM ARGUMENT...      odd: only ranks 1, 3, 5, ... are denied
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int deny(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return -1;
    // The filter works: even a copy within the process is refused now.
    char from = 1, to = 0;
    struct iovec local = {&to, 1}, remote = {&from, 1};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 && errno == EPERM ? 0 : -1;
}

int main(int argc, char **argv)
{
    const char *number = getenv("PMI_RANK");
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "all") == 0 || (number && atoi(number) % 2)) {
        if (deny()) {
            perror("FAIL deny_cma.c: seccomp");
            return 1;
        }
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
