from tests.analyze.names.reading import fields_of, kind_of


def test_what_thrust_runs_is_its_agent():
    name = (
        "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::"
        "ParallelForAgent<thrust::cuda_cub::__tabulate::functor<int> >, int>(int)"
    )
    assert kind_of(name) == ("thrust", "Thrust", "elementwise", "inferred")
    assert fields_of(name) == {"op": "ParallelForAgent"}


def test_a_trampoline_without_arguments_is_named_as_it_stands():
    assert fields_of("thrust::cuda_cub::core::_kernel_agent") == {"op": "_kernel_agent"}
