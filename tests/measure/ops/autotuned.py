"""A Triton matmul that its autotuner chooses the tiles of; what it chose ends up in op.log."""

import torch
import triton
import triton.language as tl

tolerance = {"atol": 0.5, "rtol": 1.6e-2}

CONFIGS = [
    triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_warps=warps, num_stages=stages)
    for m, n, k, warps, stages in (
        (32, 32, 32, 4, 2),
        (64, 64, 32, 4, 3),
        (128, 128, 32, 4, 4),
        (128, 128, 64, 8, 3),
        (128, 128, 64, 8, 4),
        (128, 256, 64, 8, 3),
        (256, 256, 128, 8, 5),  # more shared memory than there is
    )
]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    ACCUMULATE: tl.constexpr = tl.float32,
):
    columns = tl.cdiv(N, BLOCK_N)
    row = tl.program_id(0) // columns * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(0) % columns * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACCUMULATE)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + row[:, None] * K + k + inner[None, :])
        b = tl.load(b_ptr + (k + inner)[:, None] * N + column[None, :])
        total += tl.dot(a, b)
    tl.store(c_ptr + row[:, None] * N + column[None, :], total.to(tl.bfloat16))


def inputs():
    a, b = torch.randn(2, 2048, 2048, dtype=torch.bfloat16, device="cuda")
    return a, b


def op(a, b):
    assert a.is_contiguous()
    assert b.is_contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=a.dtype, device=a.device)

    def grid(meta):
        return (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)

    matmul_kernel[grid](a, b, c, m, n, k)
    return c


def reference(a, b):
    return a @ b


def teardown():
    print("best_config:", matmul_kernel.best_config)
