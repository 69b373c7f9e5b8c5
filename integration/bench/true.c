//go:build ignore

// A program that ends at once: no C library, no start-up work, one page of
// text. What a launch of it costs is what the launcher costs.
// cc -O2 -static -nostdlib

void _start(void)
{
#if defined(__x86_64__)
	__asm__ volatile("mov $231, %eax\n\txor %edi, %edi\n\tsyscall"); /* exit_group(0) */
#elif defined(__aarch64__)
	__asm__ volatile("mov x8, #94\n\tmov x0, #0\n\tsvc #0"); /* exit_group(0) */
#else
#error "no exit_group for this architecture"
#endif
	__builtin_unreachable();
}
