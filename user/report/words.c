// SPDX-License-Identifier: GPL-2.0-only
#include "report/words.h"

const char *run_end_word(unsigned int end)
{
	static const char *const words[NR_RUN_ENDS] = {
		[RUN_DONE] = "done",
		[RUN_TIMEOUT] = "timeout",
		[RUN_AGENT_FAILED] = "agent-failed",
		[RUN_ORACLE_ERROR] = "oracle-error",
		[RUN_ENFORCEMENT_ERROR] = "enforcement-error",
		[RUN_CONFIGURATION_ERROR] = "configuration-error",
	};

	return end < NR_RUN_ENDS ? words[end] : NULL;
}

#define X_(name, word) [AL_HOOK_##name] = word,
const char *hook_word(unsigned int hook)
{
	static const char *const words[AL_NR_HOOKS] = { AL_HOOKS(X_) };

	return hook < AL_NR_HOOKS ? words[hook] : NULL;
}
#undef X_
