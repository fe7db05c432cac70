# SPDX-License-Identifier: GPL-2.0-only
#
# "make help" lists the targets. What is built is listed in the Kbuild files;
# how, in scripts/Makefile.build.

include scripts/Makefile.build
