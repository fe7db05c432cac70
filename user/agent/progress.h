/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the agent did, one JSON object a line, on standard output. For people:
 * no judgement rests on it, since what the agent says about itself is no
 * evidence.
 */
#ifndef USER_AGENT_PROGRESS_H
#define USER_AGENT_PROGRESS_H

#include <stddef.h>

#include <jansson.h>

/**
 * progress() - write one line
 * @event:	consumed; NULL (out of memory) is ignored
 *
 * A line is one write(2). Failure is ignored: nobody may be listening.
 */
void progress(json_t *event);

/* progress_text() - untrusted bytes as an escaped string */
json_t *progress_text(const char *data, size_t length);

#endif /* USER_AGENT_PROGRESS_H */
