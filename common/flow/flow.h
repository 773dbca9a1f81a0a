/* SPDX-License-Identifier: MIT */
/* flow.h - all that other folders may use of flow/ */
#ifndef SEQF_FLOW_ALL_H
#define SEQF_FLOW_ALL_H

#include "flow/feed.h"
#include "flow/pump.h"
#include "flow/records.h"
#include "flow/window.h"

#endif
