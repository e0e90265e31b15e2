/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_ARCHITECTURE
enum { X32 = 0x40000000 };	/* numbers of a second set of calls on x86_64 */

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define IS(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), then, otherwise)
#define REFUSE(number, code) IS(number, 0, 1), ANSWER(SECCOMP_RET_ERRNO | (code))

int calls_withhold(void)
{
	struct sock_filter program[] = {
		LOAD(arch),
		IS(OWN_ARCHITECTURE, 1, 0),
		ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1),
		ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
		REFUSE(__NR_socket, EACCES),
		REFUSE(__NR_io_uring_setup, ENOSYS),
		REFUSE(__NR_add_key, EACCES),
		REFUSE(__NR_request_key, EACCES),
		REFUSE(__NR_keyctl, EACCES),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = {
		.len = sizeof(program) / sizeof(*program), .filter = program,
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) ? -errno : 0;
}
#else
int calls_withhold(void)
{
	return -ENOSYS;
}
#endif
