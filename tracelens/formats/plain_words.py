"""Words that anyone who measures kernels has in their code: as a name they tell of nobody.

A user may be called `max`, a job `softmax` and a setting `bfloat16`. Taking such words out of code,
names of kernels and figures would leave neither a report nor a reproducer that runs.
"""

from __future__ import annotations

import builtins
import keyword
import re

_OF_CODE = (word.lower() for word in (*keyword.kwlist, *vars(builtins)))
_OF_OPS = """
activation adam adamw add addmm alloc arange argmax attention attn autograd autotune autotuned
average avg bandwidth batch batched bert bfloat blas block blocked bmm broadcast cast cat cell
clamp clip clone collective column columns compile compiled concat contiguous conv convolution
copy cosine cross cublas cuda cudnn cumsum cutlass decode dense dequant device diff dispatch div
dot double dropout dtype dynamo eager einsum elementwise embedding empty entropy erf expand
expert experts fast fill flash flip flops fuse fused fusion gather geglu gelu gemm gemv graph
graphs grid group grouped half head heads histogram host index inductor infer inference inner
inplace input inputs integer interpolate kernel kernels lane latency launch launches layer
layernorm layers length linear logits logsumexp loop loss lstm mask masked matmul matrix matvec
mean median memcpy memory memset mha mla mlp mode model models module moe mul naive norm
normalize numpy one ones op operator operators ops optimizer outer output outputs pad paged
parallel permute persistent plain pointwise pool prefill product profile profiler ptx quant
quantize rand randn random rank ray reduce reduction reference relu replay reshape residual rms
rmsnorm rocm roll roofline rope rotary row rows scalar scale scan scatter score sdpa select sgd
shape shapes sigmoid silu sin size softmax softplus sparse split stack stage stages step stream
streams stride strides sub swiglu swish sync tanh tensor tensors thread threads tile tiled topk
torch transformer transpose triton unfused value values vector view warp weight weights where
zero zeros
"""
_OF_WORK = """
amortised annotation backward baseline bench benchmark benchmarks big build busy call calls
candidate case cases ceiling check ci clock cold config configs count debug demo deploy dev
doctor example examples experiment figures forward full gpu gpus huge issue job jobs large lint
measure measured measurement medium nightly node perf performance prod profiling quick reader
release report run runs sample samples serve serving slow small smoke span speed submit sweep
table test testing tests throughput time timeline times tiny trace tracelens traces tracing
train training tune tuned tuning variant variants wall warm window windows
"""
_OF_PACKAGES = """
accelerate aiter amd ampere apex blackwell deepspeed flag flashinfer functorch gems hopper intel
liger nvidia pytorch sglang torchao torchaudio torchvision transformers vllm xformers
"""
"""Makers and packages."""

_PLAIN = frozenset({*_OF_CODE, *_OF_OPS.split(), *_OF_WORK.split(), *_OF_PACKAGES.split()})
_BETWEEN = re.compile(r"[\W\d_]+")


def is_plain(text: str) -> bool:
    """Say whether a name is made of such words alone, with numbers and dashes between them."""
    parts = [part for part in _BETWEEN.split(text.lower()) if part]
    return bool(parts) and all(part in _PLAIN for part in parts)
