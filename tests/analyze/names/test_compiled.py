from tracelens.analyze.names import decode
from tracelens.analyze.names.compiled import with_compiled
from tracelens.analyze.names.config import different_configs, spell_config, spell_configs
from tracelens.analyze.names.smells import smells
from tracelens.model.kernel_name import Field, KernelName
from tracelens.model.launched import CompiledKernel

COMPILED = CompiledKernel(
    name="my_matmul_kernel",
    compiler="triton",
    constexprs={"BLOCK_M": 128, "EVEN": True, "ACC": "fp32"},
    num_warps=8,
    num_stages=4,
    num_ctas=1,
    spills=12,
    target="cuda:90",
)


def test_a_name_that_says_nothing_gets_all_that_the_compiler_said_documented():
    kernel = with_compiled(decode("my_matmul_kernel"), COMPILED)

    assert (kernel.family, kernel.library, kernel.role) == ("triton", "Triton", "gemm")
    assert kernel.status == "documented"
    assert {name: field.value for name, field in kernel.fields.items()} == {
        "BLOCK_M": 128,
        "EVEN": True,
        "ACC": "fp32",
        "num_warps": 8,
        "num_stages": 4,
        "spills": 12,
        "target": "cuda:90",
    }
    assert spell_config(kernel) == "BLOCK_M=128 EVEN=True ACC=fp32 num_warps=8 num_stages=4"


def test_a_family_that_the_name_gives_stays_and_its_fields_keep_their_own_status():
    compiled = CompiledKernel(
        name="triton_poi_fused_add_gelu_0",
        compiler="inductor",
        constexprs={"XBLOCK": 512},
        num_warps=4,
        num_stages=1,
        num_ctas=2,
        ops=("aten.add", "aten.gelu"),
    )
    kernel = with_compiled(decode("triton_poi_fused_add_gelu_0"), compiled)

    assert (kernel.family, kernel.role) == ("inductor", "fused")
    assert kernel.fields["ops"] == Field(("add", "gelu"), "inferred")
    assert kernel.fields["original_aten"] == Field(("aten.add", "aten.gelu"), "documented")
    assert kernel.fields["XBLOCK"] == Field(512, "documented")
    assert spell_config(kernel) == "XBLOCK=512 num_warps=4 num_stages=1 num_ctas=2"


def test_configurations_of_one_name_stand_side_by_side_and_less_of_the_same_is_not_another():
    def split(value):
        return KernelName(
            name="g",
            fields={"tile_M": Field(64, "inferred"), "split_k": Field(value, "inferred")},
        )

    assert different_configs([split(True), split(2), split(2), split(4)]) == [
        "tile 64 split-K 2",
        "tile 64 split-K 4",
    ]
    assert spell_configs([split(n) for n in range(2, 9)]) == (
        "tile 64 split-K 2 | tile 64 split-K 3 | tile 64 split-K 4 | tile 64 split-K 5 | 3 more"
    )
    assert spell_configs([KernelName(name="g")]) == ""


def test_registers_that_have_no_room_are_a_smell():
    (smell,) = smells(with_compiled(decode("my_matmul_kernel"), COMPILED), compute_capability=None)
    assert (smell.tag, smell.fact) == (
        "kernel/smell/spills",
        "12 registers of each thread have no room and lie in memory",
    )
