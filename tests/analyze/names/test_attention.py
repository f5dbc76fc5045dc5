from tests.analyze.names.reading import fields_of, kind_of


def test_flash_attention_2_states_its_traits_and_the_first_flags():
    name = (
        "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, "
        "128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t>, false, true, false, true>(int)"
    )
    assert fields_of(name) == {
        "head_dim": 128,
        "tile_M": 64,
        "tile_N": 128,
        "warps": 8,
        "dtype": "bf16",
        "dropout": False,
        "causal": True,
    }


FA3 = (
    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
    "flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> >, "
    "cute::tuple<cute::C<128>, cute::C<160>, cute::C<192> >, 128, cutlass::half_t, float, "
    "cutlass::arch::Sm90, true, false, false, true, false, false, false, true, true, false, "
    "false, false{more}, cutlass::half_t>, flash::CollectiveEpilogueFwd<int> > > >(int)"
)
FA3_TILE = {
    "arch": "sm90",
    "tile_M": 128,
    "tile_N": 160,
    "tile_K": 192,
    "head_dim": 192,
    "stages": 2,
    "head_dim_v": 128,
    "cluster": "2x1x1",
    "dtype": "fp16",
}


def test_flash_attention_3_names_the_flags_of_its_own_mainloop():
    assert fields_of(FA3.format(more="")) == FA3_TILE | {
        "causal": True,
        "local": False,
        "softcap": False,
        "varlen": True,
        "paged_kv_non_tma": False,
        "append_kv": False,
        "has_qv": False,
        "mma_pv_rs": True,
        "intra_warpgroup_overlap": True,
        "pack_gqa": False,
        "split": False,
        "v_column_major": False,
    }


def test_flags_of_a_fork_that_added_one_are_not_named():
    assert fields_of(FA3.format(more=", true")) == FA3_TILE


def test_the_backward_pass_and_the_cards_before_hopper_have_loops_of_their_own():
    tile = "cute::tuple<cute::C<80>, cute::C<128>, cute::C<64> >"
    cluster = "cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> >"
    loops = {
        f"FlashAttnBwdSm90<flash::CollectiveMainloopBwdSm90<3, 2, 2, {cluster}, {tile}": {
            "arch": "sm90",
            "stages": 3,
            "cluster": "2x1x1",
        },
        f"FlashAttnFwdSm80<flash::CollectiveMainloopFwdSm80<8, 1, true, {tile}, 64": {
            "arch": "sm80",
            "warps": 8,
            "stages": 1,
            "head_dim_v": 64,
        },
        f"FlashAttnBwdSm80<flash::CollectiveMainloopBwdSm80<2, 1, {tile}": {
            "arch": "sm80",
            "stages": 2,
        },
    }
    both = {"tile_M": 80, "tile_N": 128, "tile_K": 64, "head_dim": 64, "dtype": "bf16"}
    for loop, fields in loops.items():
        inner = f"flash::{loop}, cutlass::bfloat16_t, float, true>, int>"
        assert fields_of(f"void cutlass::device_kernel<{inner} >(int)") == both | fields


def test_nsight_spells_the_same_kernel_with_casts():
    nsight = (
        FA3.format(more="")
        .replace("C<", "C<(int)")
        .replace("true", "(bool)1")
        .replace("false", "(bool)0")
    )
    assert fields_of(nsight) == fields_of(FA3.format(more=""))


def test_the_backward_of_the_memory_efficient_kernel_is_read():
    assert fields_of("fmha_cutlassB_f16_notaligned_64x64_k64_dropout_sm80(Params)") == {
        "direction": "B",
        "dtype": "fp16",
        "alignment": "notaligned",
        "tile_M": 64,
        "tile_N": 64,
        "largest_head_dim": 64,
        "dropout": True,
        "arch": "sm80",
    }
    assert kind_of("fmha_cutlassB_f16_aligned_64x64_sm80")[:3] == (
        "mem_eff_attention",
        "PyTorch",
        "attention",
    )


def test_the_kernel_that_combines_splits_has_a_tile_of_its_own():
    name = (
        "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, "
        "false, false, cutlass::half_t>, 8, 3, true>(flash::Flash_fwd_params)"
    )
    assert fields_of(name) == {"head_dim": 128, "tile_M": 8, "warps": 4, "dtype": "fp16"}
