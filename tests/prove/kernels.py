"""Kernels of a few lines of PTX, with the lines of a source."""

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

#: Each thread stores an element of a tile of 64 and reads that of the mirrored thread; MORE is at the loop's end.
MIRROR = (
    HEAD
    + """
.visible .entry mirror(.param .u64 x, .param .u64 y, .param .u32 tiles)
{
  .reg .pred %p<3>; .reg .b32 %r<20>; .reg .f32 %f<4>; .reg .b64 %rd<12>;
  .shared .align 4 .b8 tile[256];
  .file 1 "mirror.cu"
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r9, [tiles];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  mov.u32 %r4, tile;
  shl.b32 %r5, %r1, 2;
  add.s32 %r5, %r4, %r5;
  sub.s32 %r6, 63, %r1;
  shl.b32 %r6, %r6, 2;
  add.s32 %r6, %r4, %r6;
LOOP:
  setp.ge.s32 %p1, %r2, %r9;
  @%p1 bra DONE;
  mad.lo.s32 %r7, %r2, 64, %r1;
  mul.wide.s32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  .loc 1 4 5
  ld.global.f32 %f1, [%rd4];
  st.shared.f32 [%r5], %f1;
  .loc 1 5 5
  bar.sync 0;
  .loc 1 6 5
  ld.shared.f32 %f2, [%r6];
  st.global.f32 [%rd5], %f2;
  MORE
  add.s32 %r2, %r2, 1;
  bra LOOP;
DONE:
  ret;
}
"""
)
RIGHT = MIRROR.replace("MORE", "bar.sync 0;")
WRONG = MIRROR.replace("MORE", "")
#: That of docs/guide/reference/ptx.md, without its second barrier.
REVERSE = WRONG
for here, there in (
    ("mirror.cu", "reverse.cu"),
    ("mirror(.param .u64 x, .param .u64 y,", "reverse(.param .u64 x, .param .u64 y, .param .f32 a,"),
    ("tile[256]", "tile[640]"),
    ("63, %r1", "159, %r1"),
    ("%r2, 64, %r1", "%r2, 160, %r1"),
    ("mov.u32 %r2, 0", "mov.u32 %r2, %ctaid.x"),
    ("add.s32 %r2, %r2, 1", "mov.u32 %r3, %nctaid.x;\n  add.s32 %r2, %r2, %r3"),
):
    assert here in REVERSE
    REVERSE = REVERSE.replace(here, there)

#: The store of the tile is in a function that was inlined at lines 4 and 30.
INLINED = WRONG.replace('.file 1 "mirror.cu"', '.file 1 "mirror.cu"\n  .file 2 "/somewhere/of/../else/load tile.cuh"').replace(
    "  st.shared.f32 [%r5]",
    "  .loc 1 4 9, function_name $L, inlined_at 1 30 5\n  .loc 2 3 7, function_name $L, inlined_at 1 4 9\n  st.shared.f32 [%r5]",
)

#: One thread of each CTA takes a ticket, and stores it in its element of y.
TICKETS = (
    HEAD
    + """
.visible .entry tickets(.param .u64 counter, .param .u64 y)
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [counter];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  atom.global.add.u32 %r2, [%rd1], 1;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  mov.u32 %r3, 7;
  st.global.u32 [%rd4], %r3;
DONE:
  ret;
}
"""
)


def launch(tiles):
    return f"mirror<<<1, 64>>>(x: f32[512] = random, y: out f32[512], {tiles})"
