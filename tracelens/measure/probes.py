"""Kernels of our own, as PTX that the driver compiles: what they do is known beforehand.

Written for the oldest target that current drivers take; it runs on every later one.
"""

from __future__ import annotations

PROBES = """
.version 6.0
.target sm_60
.address_size 64

.visible .entry tracelens_empty() { ret; }

// Run until the device's global timer, in ns, has moved by length_ns; store how far it did move.
.visible .entry tracelens_spin(.param .u64 length_ns, .param .u64 elapsed)
{
    .reg .pred %again;
    .reg .b64 %begun, %now, %length, %out;
    ld.param.u64 %length, [length_ns];
    ld.param.u64 %out, [elapsed];
    mov.u64 %begun, %globaltimer;
SPIN:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begun;
    setp.lt.u64 %again, %now, %length;
    @%again bra SPIN;
    cvta.to.global.u64 %out, %out;
    st.global.u64 [%out], %now;
    ret;
}

// Run for that many cycles of the multiprocessor's own clock.
.visible .entry tracelens_cycles(.param .u64 cycles)
{
    .reg .pred %again;
    .reg .b64 %begun, %now, %length;
    ld.param.u64 %length, [cycles];
    mov.u64 %begun, %clock64;
SPIN:
    mov.u64 %now, %clock64;
    sub.u64 %now, %now, %begun;
    setp.lt.u64 %again, %now, %length;
    @%again bra SPIN;
    ret;
}

// Read that many bytes, 16 a thread and step. Of zeros nothing is ever stored, but no compiler can
// know that, so the reads stay.
.visible .entry tracelens_read(.param .u64 from, .param .u64 bytes, .param .u64 sink)
{
    .reg .pred %more, %odd;
    .reg .b32 %block, %width, %lane, %blocks, %a, %b, %c, %d, %all;
    .reg .b64 %at, %end, %step, %out, %offset;
    ld.param.u64 %at, [from];
    ld.param.u64 %end, [bytes];
    ld.param.u64 %out, [sink];
    cvta.to.global.u64 %at, %at;
    cvta.to.global.u64 %out, %out;
    add.u64 %end, %at, %end;
    mov.u32 %block, %ctaid.x;
    mov.u32 %width, %ntid.x;
    mov.u32 %lane, %tid.x;
    mov.u32 %blocks, %nctaid.x;
    mad.lo.u32 %lane, %block, %width, %lane;
    mul.wide.u32 %offset, %lane, 16;
    add.u64 %at, %at, %offset;
    mul.lo.u32 %blocks, %blocks, %width;
    mul.wide.u32 %step, %blocks, 16;
    mov.u32 %all, 0;
    bra TEST;
READ:
    ld.global.v4.u32 {%a, %b, %c, %d}, [%at];
    or.b32 %a, %a, %b;
    or.b32 %c, %c, %d;
    or.b32 %a, %a, %c;
    or.b32 %all, %all, %a;
    add.u64 %at, %at, %step;
TEST:
    setp.lt.u64 %more, %at, %end;
    @%more bra READ;
    setp.ne.u32 %odd, %all, 0;
    @%odd st.global.u32 [%out], %all;
    ret;
}
"""
