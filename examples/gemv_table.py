"""Multiply a matrix and a vector, with a kernel template whose arguments a tuned table chooses.

`expect` states the configuration that each case must run: after an edit of DISPATCH,
`tracelens profile examples/gemv_table.py --strict` says whether it took effect.
"""

from functools import cache

import torch

on_gpu = torch.cuda.is_available()
tolerance = {"atol": 1e-2, "rtol": 1e-3}
cases = {"short": {"columns": 1024}, "long": {"columns": 16384}}

SOURCE = """
template <int WARPS, int UNROLL>
__global__ void gemv(const float* matrix, const float* vector, float* product,
                     int rows, int columns)
{
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* line = matrix + (long long)row * columns;
    float sum = 0;
    for (int at = lane; at < columns; at += 32 * UNROLL) {
#pragma unroll
        for (int step = 0; step < UNROLL; ++step) {
            int place = at + 32 * step;
            if (place < columns) sum += line[place] * vector[place];
        }
    }
    for (int apart = 16; apart; apart /= 2) sum += __shfl_down_sync(0xffffffff, sum, apart);
    if (lane == 0) product[row] = sum;
}
"""
DISPATCH = {4096: (4, 1), 1 << 20: (8, 4)}  # columns at the most: warps, unroll

configs = {"gemv": ("WARPS", "UNROLL")}
expect = [
    {"variant": "ours", "kernel": "gemv", "calls": 1, "by_case": {"short": (4, 1), "long": (8, 4)}},
    {"variant": "torch", "kernel": "gemv", "calls": 0},
]


def inputs(columns):
    device = "cuda" if on_gpu else "cpu"
    return torch.randn(1024, columns, device=device), torch.randn(columns, device=device)


@cache
def compiled(warps, unroll):
    return torch.cuda._compile_kernel(SOURCE, f"gemv<{warps}, {unroll}>")


def ours(matrix, vector):
    if not on_gpu:
        return torch.mv(matrix, vector)
    matrix, (rows, columns) = matrix.contiguous(), matrix.shape
    warps, unroll = next(chosen for most, chosen in DISPATCH.items() if columns <= most)
    product = torch.empty(rows, device=matrix.device)
    compiled(warps, unroll)(
        grid=(-(-rows // warps), 1, 1),
        block=(32 * warps, 1, 1),
        args=[matrix, vector, product, rows, columns],
    )
    return product


variants = {"torch": torch.mv, "ours": ours}


def reference(matrix, vector):
    return (matrix.double() @ vector.double()).float()
