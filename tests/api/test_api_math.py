"""Utility functions on arrays agree with MuJoCo for random arguments."""

import ctypes
import inspect
from pathlib import Path
from typing import Any, get_args

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.api.argument_kinds import Array
from conjoint.api.mju import factors, matrices, numbers, quaternions, vectors

FUNCTIONS = {
    name: function
    for module in (vectors, quaternions, matrices, numbers, factors)
    for name, function in vars(module).items()
    if name.startswith(("mju_", "mjd_")) and function.__module__ == module.__name__
}
SPECIAL = (
    "mju_boxQP", "mju_standardNormal", "mju_eig3", "mju_mat2Rot", "mju_type2Str", "mju_str2Type", "mju_warningText",
    "mju_writeNumBytes", "mju_writeLog", "mju_euler2Quat", "mju_Halton", "mju_encodePyramid", "mju_decodePyramid", "mju_printMat",
    "mju_printMatSparse", "mju_dense2sparse", "mju_sparse2dense", "mju_isBad", "mju_sigmoid", "mju_round",
    "mju_muscleGain", "mju_muscleBias", "mju_muscleDynamics", "mju_springDamper",
)  # fmt: skip
BAND = {"ntotal": 6, "nband": 3, "ndense": 2, "nvec": 1}
SIZE = 6


def array_argument(annotation: Any) -> Array | None:
    """Return the array description that an annotation contains, or None."""
    for part in get_args(annotation):
        found = part if isinstance(part, Array) else array_argument(part)
        if found is not None:
            return found
    return None


def random_arguments(function: Any, generator: np.random.Generator) -> list[Any]:
    """Return random arguments that match the function's annotations."""
    values: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        argument = array_argument(parameter.annotation)
        if "Band" in function.__name__ or "band" in function.__name__:
            values.append(band_argument(function.__name__, parameter.name, argument, generator))
        elif argument is not None:
            shape = tuple(SIZE if n is None else n for n in argument.shape)
            if function.__name__.startswith("mjd_subQuat"):
                shape = (3, 3) if len(shape) == 2 else (4,)
            value = generator.standard_normal(shape)
            if "quat" in parameter.name.lower() or parameter.name in ("qa", "qb"):
                value /= np.linalg.norm(value)
            if "chol" in function.__name__ and len(shape) == 2:
                value = value @ value.T + np.eye(SIZE)
            if parameter.name == "mat" and function.__name__ == "mju_mat2Quat":
                rotation = np.zeros(9)
                mujoco.mju_quat2Mat(rotation, unit_quat(generator))
                value = rotation
            values.append(
                value.astype(argument.dtype)
                if argument.dtype != np.int32
                else generator.integers(-9, 9, shape, np.int32)
            )
        elif parameter.annotation is int:
            values.append(int(generator.integers(0, 2)))
        else:
            values.append(float(generator.standard_normal()))
    return values


def band_argument(function: str, name: str, argument: Array | None, generator: np.random.Generator) -> Any:
    """Return a random argument for a function that operates on band matrices."""
    n, stored = BAND["ntotal"], (BAND["ntotal"] - BAND["ndense"]) * BAND["nband"] + BAND["ndense"] * BAND["ntotal"]
    if argument is None:
        return BAND.get(name, 1)
    if name == ("mat" if function != "mju_dense2Band" else "res"):
        square = generator.standard_normal((n, n))
        band = np.zeros(stored)
        mujoco.mju_dense2Band(band, square @ square.T + n * np.eye(n), n, BAND["nband"], BAND["ndense"])
        return band
    return generator.standard_normal((n, n) if len(argument.shape) == 2 and name != "vec" else n)


def unit_quat(generator: np.random.Generator) -> np.ndarray:
    q = generator.standard_normal(4)
    return q / np.linalg.norm(q)


def compare_calls(name: str, values: list[Any], tolerance: float = 1e-11) -> None:
    """Call both packages with copies of the arguments; results and arguments must agree afterwards."""
    ours = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
    theirs = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
    result, expected = getattr(conjoint, name)(*ours), getattr(mujoco, name)(*theirs)
    assert (result is None) == (expected is None)
    if expected is not None:
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
    for mine, official in zip(ours, theirs, strict=True):
        if isinstance(official, np.ndarray):
            np.testing.assert_allclose(mine, official, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(SPECIAL)))
def test_function_equals_the_official_one(name: str) -> None:
    """Equal positional arguments give the same result and the same outputs as in MuJoCo."""
    for seed in range(5):
        compare_calls(name, random_arguments(FUNCTIONS[name], np.random.default_rng(seed)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_arguments_have_the_official_names(name: str) -> None:
    """Arguments have MuJoCo's names, because programs pass them by name."""
    text = getattr(mujoco, name).__doc__.splitlines()[0]
    wanted = [
        part.split(":")[0].strip() for part in text.partition("(")[2].replace("[m, ", "[m ").split(", ") if ": " in part
    ]
    assert list(inspect.signature(FUNCTIONS[name]).parameters) == wanted


@pytest.mark.parametrize("x", [-2.5, -1.0, -1e-20, 0.0, 0.2, 0.5, 0.7, 1.0, 2.5, 1e10, 1e11, float("nan")])
def test_numbers_equal_the_official_ones(x: float) -> None:
    """Scalar functions agree with MuJoCo at special values."""
    assert conjoint.mju_isBad(x) == mujoco.mju_isBad(x)
    if x == x:
        for name in ("mju_sigmoid", "mju_sign"):
            assert getattr(conjoint, name)(x) == pytest.approx(getattr(mujoco, name)(x), abs=1e-14)
        if abs(x) < 1e9:
            assert conjoint.mju_round(x) == mujoco.mju_round(x)


@pytest.mark.parametrize("vec", [(0, 0, 0), (0, 0, 2), (0, 0, -2), (1e-20, 0, 0), (3, 0, 0), (0, -1, 1e-9)])
def test_rotations_of_the_z_axis(vec: tuple[float, ...]) -> None:
    """`mju_quatZ2Vec` agrees with MuJoCo, even for zero, parallel and opposite vectors."""
    compare_calls("mju_quatZ2Vec", [np.zeros(4), np.array(vec, float)])


def test_texts_equal_the_official_ones() -> None:
    """Type names, warning texts, byte counts and Halton numbers agree with MuJoCo."""
    for kind in (*range(-1, 28), 99, 100, 101):
        assert conjoint.mju_type2Str(kind) == mujoco.mju_type2Str(kind)
    for text in ("body", "xbody", "frame", "model", "unknown", "nothing", ""):
        assert conjoint.mju_str2Type(text) == mujoco.mju_str2Type(text)
    assert conjoint.mju_str2Type(b"geom") == mujoco.mju_str2Type(b"geom") == 5
    for warning in range(10):
        assert conjoint.mju_warningText(warning, 7) == mujoco.mju_warningText(warning, 7)
    for count in (0, 1023, 1024, 1500, 3 << 20, 10**12, 1 << 60):
        assert conjoint.mju_writeNumBytes(count) == mujoco.mju_writeNumBytes(count)
    for index in range(20):
        assert conjoint.mju_Halton(index, 3) == pytest.approx(mujoco.mju_Halton(index, 3), abs=1e-15)


@pytest.mark.parametrize("sequence", ["xyz", "XYZ", "zxz", "xYz", "YxZ", "ZZx"])
def test_euler_angles_equal_the_official_ones(sequence: str) -> None:
    compare_calls("mju_euler2Quat", [np.zeros(4), np.array([0.3, -1.2, 2.5]), sequence])


def test_euler_sequence_is_checked() -> None:
    with pytest.raises(conjoint.FatalError, match="exactly 3"):
        conjoint.mju_euler2Quat(np.zeros(4), [1, 2, 3], "xy")
    with pytest.raises(conjoint.FatalError, match=r"seq\[2\] is 'q'"):
        conjoint.mju_euler2Quat(np.zeros(4), [1, 2, 3], "xyq")


def test_eigenvectors_of_symmetric_matrices() -> None:
    """Eigenvalues and eigenvectors are bit-identical to MuJoCo's, even for diagonal and singular matrices."""
    generator = np.random.default_rng(0)
    samples = [generator.standard_normal((3, 3)) for _ in range(20)]
    flat = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
    for matrix in [s + s.T for s in samples] + [np.diag([1.0, 2.0, 3.0]), np.diag([3.0, 1.0, 2.0]), np.eye(3), flat]:
        outputs = np.zeros(3), np.zeros(9), np.zeros(4)
        expected = np.zeros(3), np.zeros(9), np.zeros(4)
        assert conjoint.mju_eig3(*outputs, matrix.ravel()) == mujoco.mju_eig3(*expected, matrix.ravel())
        for found, official in zip(outputs, expected, strict=True):
            np.testing.assert_array_equal(found, official)


def test_nearest_rotation_equals_the_official_one() -> None:
    for seed in range(5):
        generator = np.random.default_rng(seed)
        mat = np.eye(3) + 0.3 * generator.standard_normal((3, 3))
        compare_calls("mju_mat2Rot", [np.array([1.0, 0, 0, 0]), mat.ravel()], 1e-7)


def test_muscles_and_springs_equal_the_official_ones() -> None:
    """Muscle and spring-damper functions agree with MuJoCo on every branch of their curves."""
    generator = np.random.default_rng(0)
    prm = np.array([0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2])
    for length in np.linspace(-0.2, 1.8, 21):
        for velocity in (-2.0, -0.5, 0.0, 0.05, 0.1, 2.0):
            compare_calls("mju_muscleGain", [length, velocity, np.array([0.1, 0.9]), 3.0, prm])
        compare_calls("mju_muscleBias", [length, np.array([0.1, 0.9]), 3.0, prm])
    for _ in range(50):
        ctrl, act = generator.uniform(-0.2, 1.2, 2)
        compare_calls("mju_muscleDynamics", [ctrl, act, np.array([0.01, 0.04, generator.choice([0.0, 0.3])])])
    for damping in (0.1, 2.0, 5.0):
        compare_calls("mju_springDamper", [0.3, -0.7, 1.0, damping, 0.9])


def test_pyramids_equal_the_official_ones() -> None:
    """Encoding and decoding of friction pyramids agree with MuJoCo, whose bindings drop the last direction."""
    compare_calls("mju_encodePyramid", [np.zeros(6), np.array([3.0, 0.2, -0.1, 0.4]), np.array([1.0, 0.5, 0.1])])
    compare_calls("mju_decodePyramid", [np.zeros(4), np.arange(6.0), np.array([1.0, 0.5, 0.1])])


def test_sparse_matrices_equal_the_official_ones() -> None:
    """Conversion between dense and sparse matrices agrees with MuJoCo, even if the arrays are too short."""
    generator = np.random.default_rng(0)
    dense = generator.standard_normal((4, 5)) * (generator.random((4, 5)) < 0.5)
    count = np.count_nonzero(dense)
    for room in (count, 20):
        outputs = [np.zeros(room), dense, np.zeros(4, np.int32), np.zeros(4, np.int32), np.zeros(room, np.int32)]
        compare_calls("mju_dense2sparse", outputs)
        assert conjoint.mju_dense2sparse(*outputs) == 0
        compare_calls("mju_sparse2dense", [np.ones((4, 5)), outputs[0], *outputs[2:]])
    short = [np.zeros(3), dense, np.zeros(4, np.int32), np.zeros(4, np.int32), np.zeros(3, np.int32)]
    assert conjoint.mju_dense2sparse(*short) == mujoco.mju_dense2sparse(*short) == 1


@pytest.mark.parametrize("bounds", [(None, None), (-0.1, None), (None, 0.1), (-0.1, 0.1)])
def test_quadratic_program_equals_the_official_one(bounds: tuple) -> None:
    """The solution, free dimensions and matrix factor of box-constrained quadratic programs agree with MuJoCo."""
    for seed in range(5):
        generator = np.random.default_rng(seed)
        n = 5
        H = generator.standard_normal((n, n))
        H = H @ H.T + 0.1 * np.eye(n)
        lower, upper = (None if b is None else np.full(n, b) for b in bounds)
        start, g = generator.standard_normal(n), generator.standard_normal(n)
        ours = [start.copy(), np.zeros((n, n + 7)), np.zeros(n, np.int32), H, g, lower, upper]
        theirs = [start.copy(), np.zeros((n, n + 7)), np.zeros(n, np.int32), H, g, lower, upper]
        rank = conjoint.mju_boxQP(*ours)
        assert rank == mujoco.mju_boxQP(*theirs)
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-7)
        np.testing.assert_array_equal(ours[2][:rank], theirs[2][:rank])
        factors = [np.tril(a[1].reshape(-1)[: rank * rank].reshape(rank, rank)) for a in (ours, theirs)]
        np.testing.assert_allclose(*factors, atol=1e-10)


def test_impossible_quadratic_program() -> None:
    """`mju_boxQP` raises an error for contradictory bounds, and returns -1 if the matrix is not positive definite."""
    arguments = [np.zeros(2), np.zeros((2, 9)), None, np.eye(2), np.ones(2), np.ones(2), np.zeros(2)]
    with pytest.raises(conjoint.FatalError, match="upper bounds"):
        conjoint.mju_boxQP(*arguments)
    arguments[3:] = [-np.eye(2), np.ones(2), None, None]
    assert conjoint.mju_boxQP(*arguments) == mujoco.mju_boxQP(*arguments) == -1


def test_matrices_print_as_the_official_ones(capfd: pytest.CaptureFixture) -> None:
    sparse = [
        np.array([1.0, -2.5, 3.0]),
        np.array([1, 2], np.int32),
        np.array([0, 1], np.int32),
        np.array([0, 0, 1], np.int32),
    ]
    for name, arguments in (("mju_printMat", [np.array([[1.0, -2.0], [0.5, 1e3]])]), ("mju_printMatSparse", sparse)):
        getattr(mujoco, name)(*arguments)
        # MuJoCo's functions write through C's buffers
        ctypes.CDLL(None).fflush(None)
        expected = capfd.readouterr().out
        getattr(conjoint, name)(*arguments)
        assert capfd.readouterr().out == expected


WRONG = {
    "an output that is a list": ("mju_add3", ([0, 0, 0], [1, 2, 3], [1, 2, 3])),
    "an output of single precision": ("mju_zero3", (np.zeros(3, np.float32),)),
    "a vector that is too long": ("mju_norm3", (np.zeros(4),)),
    "a row for a vector": ("mju_norm3", (np.zeros((1, 3)),)),
    "a matrix for nine numbers": ("mju_quat2Mat", (np.zeros((3, 3)), [1, 0, 0, 0])),
    "a text for a number": ("mju_clip", (1.0, "a", 2.0)),
    "a real number for an integer": ("mju_Halton", (1.5, 2)),
    "vectors of different sizes": ("mju_add", (np.zeros(3), [1, 2, 3], [1, 2])),
    "a matrix and a vector that do not fit": ("mju_mulMatVec", (np.zeros(3), np.eye(3), np.zeros(4))),
    "a matrix that is not square": ("mju_cholFactor", (np.zeros((2, 3)), 0.0)),
    "a transposed output": ("mju_eye", (np.zeros((3, 2))[:2].T,)),
    "a missing argument": ("mju_norm3", ()),
    "one argument too many": ("mju_norm3", (np.zeros(3), 1)),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused(case: str) -> None:
    """Wrong arguments raise TypeError in both packages."""
    name, arguments = WRONG[case]
    for package in (mujoco, conjoint):
        with pytest.raises(TypeError):
            getattr(package, name)(*arguments)


def test_read_only_output_is_refused() -> None:
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match="mju_zero3: res must be a writable float64 vector of 3 elements"):
        conjoint.mju_zero3(fixed)


def test_inputs_may_be_lists_columns_and_the_output_itself() -> None:
    """Inputs may be sequences that NumPy converts, matrix columns, and aliases of the output."""
    column = np.zeros((3, 1))
    conjoint.mju_add3(res=column, vec1=(1, 2, 3), vec2=np.array([1, 1, 1]))
    np.testing.assert_array_equal(column[:, 0], [2, 3, 4])
    v = np.array([1.0, 2.0, 3.0])
    conjoint.mju_cross(v, v, [0, 0, 1])
    np.testing.assert_array_equal(v, [2, -1, 0])


def test_the_log_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each log entry has the time, type and message, then an empty line, as in MuJoCo."""
    monkeypatch.chdir(tmp_path)
    for write in (conjoint.mju_writeLog, mujoco.mju_writeLog):
        write("INFO", "a message")
    mine, its = (tmp_path / "MUJOCO_LOG.TXT").read_text().split("\n\n")[:2]
    assert mine.split("\n")[1:] == its.split("\n")[1:] == ["INFO: a message"]
    assert len(mine) == len(its)


@pytest.mark.parametrize(
    "rownnz, rowadr, colind", [([1, 3], [0, 1], [0, 1]), ([1, 1], [0, -1], [0, 1]), ([1, 1], [0, 1], [0, 2])]
)
def test_compressed_rows_that_lead_elsewhere_are_refused(rownnz: list, rowadr: list, colind: list) -> None:
    """Sparse rows with out-of-range addresses or columns are rejected before machine code uses them."""
    rows = [np.array(numbers, np.int32) for numbers in (rownnz, rowadr, colind)]
    with pytest.raises(conjoint.FatalError, match=r"mju_sparse2dense: .* outside"):
        conjoint.mju_sparse2dense(np.zeros((2, 2)), np.ones(2), *rows)


@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_sizes_of_vectors_and_matrices(n: int) -> None:
    """Results agree with NumPy for vector sizes from zero to more elements than a vector register holds."""
    rng = np.random.default_rng(n)
    a, b, result, mat = rng.normal(size=n), rng.normal(size=n), np.zeros(n), rng.normal(size=(n, n))
    conjoint.mju_addScl(result, a, b, 0.5)
    np.testing.assert_allclose(result, a + 0.5 * b, atol=1e-14)
    conjoint.mju_mulMatVec(result, mat, a)
    np.testing.assert_allclose(result, mat @ a, atol=1e-13)
    conjoint.mju_mulMatTVec(result, mat, a)
    np.testing.assert_allclose(result, mat.T @ a, atol=1e-13)
    assert abs(conjoint.mju_L1(a) - np.abs(a).sum()) < 1e-12
    assert abs(conjoint.mju_mulVecMatVec(a, mat, b) - a @ mat @ b) < 1e-11
    assert conjoint.mju_isZero(np.zeros(n)) == 1
    assert conjoint.mju_normalize(a.copy()) == pytest.approx(np.linalg.norm(a))
    positive = mat @ mat.T + np.eye(n)
    factor = positive.copy()
    assert conjoint.mju_cholFactor(factor, 1e-9) == n
    conjoint.mju_cholSolve(result, factor, a)
    np.testing.assert_allclose(positive @ result, a, atol=1e-8)
    conjoint.mju_symmetrize(mat, mat)
    np.testing.assert_array_equal(mat, mat.T)
