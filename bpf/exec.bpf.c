// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that are run, and code that is mapped. A script is decided twice:
 * as itself and as its interpreter. What "ld.so program" or dlopen() runs is
 * seen only as a mapping.
 */
#include "find.h"

#include <asm-generic/mman-common.h>

/* Always the path that a process used, never overlayfs's layer behind it. */
static __always_inline int al_ask_file(struct al_ask *ask, struct file *file)
{
	al_about_path(ask, &file->f_path);
	return al_answer(ask);
}

SEC("lsm/bprm_check_security")
int BPF_PROG(al_bprm_check, struct linux_binprm *bprm, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_BPRM_CHECK,
		.wanted = AL_OP_EXECUTE,
	};

	if (ret || !al_scoped())
		return ret;
	return al_ask_file(&ask, bprm->file);
}

SEC("lsm/mmap_file")
int BPF_PROG(al_mmap_file, struct file *file, unsigned long reqprot,
	     unsigned long prot, unsigned long flags, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_MMAP_FILE,
		.wanted = AL_OP_MAP,
	};

	if (ret || !(prot & PROT_EXEC) || !al_scoped())
		return ret;
	if (!file)
		return 0;
	return al_ask_file(&ask, file);
}

/*
 * Since 6.8 the mapping of an overlay's file holds the layer's file, from which
 * no way that the verifier follows leads back to the overlay: only a label of
 * the layer's own inode permits it.
 */
SEC("lsm/file_mprotect")
int BPF_PROG(al_file_mprotect, struct vm_area_struct *vma,
	     unsigned long reqprot, unsigned long prot, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_FILE_MPROTECT,
		.wanted = AL_OP_MAP,
	};
	struct file *file;

	if (ret || !(prot & PROT_EXEC) || vma->vm_flags & AL_VM_EXEC ||
	    !al_scoped())
		return ret;
	file = vma->vm_file;
	if (!file)
		return 0;
	return al_ask_file(&ask, file);
}
