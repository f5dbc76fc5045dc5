from tests.analyze.names.reading import fields_of, kind_of


def test_a_transpose_states_its_tile_and_the_size_of_an_element_but_no_type():
    assert fields_of("batched_transpose_64x32_pack_4x2_ediv_2x1_half") == {
        "tile_M": 64,
        "tile_N": 32,
        "pack": "4x2",
        "ediv": "2x1",
        "element": "half",
    }
    assert kind_of("batched_transpose_64x32_dword") == ("miopen", "MIOpen", "layout", "inferred")


def test_a_transpose_of_another_grammar_stays_of_the_family():
    assert kind_of("batched_transpose_of_tomorrow")[:3] == ("miopen", "MIOpen", "layout")
    assert fields_of("batched_transpose_of_tomorrow") == {}
