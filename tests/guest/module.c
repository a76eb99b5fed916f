/* SPDX-License-Identifier: MIT */
/* A file with what modpost puts into a module's section .modinfo. */
const char info[] __attribute__((section(".modinfo"))) = "license=GPL\0depends=" DEPENDS "\0name=x";
