"""A CUDA template compiled here, instantiated by a table: each case must run its own row of it."""

import torch

configs = {"gemvz_kernel": ("NW", "UG", "NB", "PIPE")}
cases = {"wide": {"rows": 512, "columns": 16384}, "tall": {"rows": 16384, "columns": 512}}
tolerance = {"atol": 1e-2, "rtol": 1e-3}

TABLE = {(512, 16384): (16, 1, 1, 2), (16384, 512): (4, 2, 4, 1)}

SOURCE = """
template <int NW, int UG, int NB, int PIPE>
__global__ void gemvz_kernel(const float* a, const float* x, float* y, int rows, int columns) {
  __shared__ float partial[NW];
  for (int b = 0; b < NB; ++b) {
    const int row = blockIdx.x * NB + b;
    if (row >= rows) return;
    float sums[PIPE] = {};
    for (int first = threadIdx.x; first < columns; first += NW * 32 * UG * PIPE)
      #pragma unroll
      for (int p = 0; p < PIPE; ++p)
        #pragma unroll
        for (int u = 0; u < UG; ++u) {
          const int at = first + (p * UG + u) * NW * 32;
          if (at < columns) sums[p] += a[(size_t)row * columns + at] * x[at];
        }
    float sum = 0;
    for (int p = 0; p < PIPE; ++p) sum += sums[p];
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < NW; ++w) sum += partial[w];
      y[row] = sum;
    }
    __syncthreads();
  }
}
"""

kernels = {}


def setup():
    for config in TABLE.values():
        name = f"gemvz_kernel<{', '.join(map(str, config))}>"
        kernels[config] = torch.cuda._compile_kernel(SOURCE, name)


def inputs(rows, columns):
    return torch.randn(rows, columns, device="cuda"), torch.randn(columns, device="cuda")


def op(a, x):
    rows, columns = a.shape
    warps, _, at_once, _ = config = TABLE[rows, columns]
    y = torch.empty(rows, device=a.device)
    blocks = (rows + at_once - 1) // at_once
    kernels[config]((blocks, 1, 1), (warps * 32, 1, 1), (a, x, y, rows, columns))
    return y


def reference(a, x):
    return (a.double() @ x.double()).float()
