"""The machine code of guards, in LLVM IR (`lang.argument_guard`)."""

from __future__ import annotations

from .argument_rules import ANY, ARRAY, EXACT, HEAD_WORDS, INTEGER, REAL, RULE_WORDS, VALUE, WHOLE

PYTHON = {
    "PyLong_AsLongLong": "i64 (ptr)", "PyFloat_AsDouble": "double (ptr)", "PyErr_Occurred": "ptr ()",
    "PyErr_Clear": "void ()", "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)", "PyObject_GetAttr": "ptr (ptr, ptr)",
    "Py_DecRef": "void (ptr)", "Py_IncRef": "void (ptr)", "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)", "PyLong_FromLongLong": "ptr (i64)", "PyFloat_FromDouble": "ptr (double)",
    "PyBool_FromLong": "ptr (i64)", "PyTuple_New": "ptr (i64)", "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
}  # fmt: skip
"""Functions of Python's C API that guards call, with their types."""


def _declarations() -> str:
    """LLVM's declarations of them."""
    return "\n".join(f"declare {kind.replace(' (', f' @{name}(', 1)}" for name, kind in PYTHON.items())


def _word(name: str, base: str, index: int | str, kind: str = "i64") -> str:
    """Read word `index` behind the pointer `base`."""
    return f"%{name}.p = getelementptr i64, ptr {base}, i64 {index}\n  %{name} = load {kind}, ptr %{name}.p"


HEADER = object.__basicsize__
"""Bytes of Python's object header, at whose end the type stands."""


def _at(name: str, byte: int, kind: str) -> str:
    """Read what lies `byte` bytes behind the object `%o`."""
    return f"%{name}.p = getelementptr i8, ptr %o, i64 {byte}\n  %{name} = load {kind}, ptr %{name}.p"


FITS = f"""
define internal i1 @length_fits(ptr %lengths, i64 %k, i64 %wanted, ptr %sizes) {{
  {_word("length", "%lengths", "%k")}
  %named = icmp slt i64 %wanted, {ANY}
  br i1 %named, label %size, label %number
size:
  %place = sub i64 -2, %wanted
  {_word("size.at", "%sizes", "%place", "ptr")}
  %size.is = load i64, ptr %size.at
  %equal.size = icmp eq i64 %length, %size.is
  ret i1 %equal.size
number:
  %any = icmp eq i64 %wanted, {ANY}
  %equal = icmp eq i64 %length, %wanted
  %good = or i1 %any, %equal
  ret i1 %good
}}
define internal i1 @fits(ptr %o, ptr %rule, ptr %table, ptr %sizes) {{
  {_word("kind", "%rule", 0)}
  {_word("wanted", "%rule", 1, "ptr")}
  {_word("optional", "%rule", 2)}
  {_word("none", "%table", 4, "ptr")}
  {_at("type", HEADER - 8, "ptr")}
  %is.none = icmp eq ptr %o, %none
  %may.be = icmp ne i64 %optional, 0
  %left.out = and i1 %is.none, %may.be
  br i1 %left.out, label %yes, label %present
present:
  switch i64 %kind, label %yes [ i64 {EXACT}, label %exact  i64 {ARRAY}, label %array  i64 {VALUE}, label %array
    i64 {WHOLE}, label %whole ]
exact:
  %same = icmp eq ptr %type, %wanted
  ret i1 %same
whole:
  %is.int = icmp eq ptr %type, %wanted
  br i1 %is.int, label %measure, label %no
measure:
  %n = call i64 @PyLong_AsLongLong(ptr %o)
  {_word("least", "%rule", 5)}
  {_word("most", "%rule", 6)}
  %above = icmp sge i64 %n, %least
  %below = icmp sle i64 %n, %most
  %between = and i1 %above, %below
  %doubtful = icmp eq i64 %n, -1
  br i1 %doubtful, label %ask, label %compared
compared:
  ret i1 %between
ask:
  %error = call ptr @PyErr_Occurred()
  %long = icmp ne ptr %error, null
  br i1 %long, label %forget, label %compared
forget:
  call void @PyErr_Clear()
  ret i1 false
array:
  {_word("ndarray", "%table", 5, "ptr")}
  %is.array = icmp eq ptr %type, %ndarray
  br i1 %is.array, label %numbers, label %no
numbers:
  {_at("dtype", HEADER + 40, "ptr")}
  %right = icmp eq ptr %dtype, %wanted
  {_at("flags", HEADER + 48, "i32")}
  {_word("mask", "%rule", 3, "i32")}
  %set = and i32 %flags, %mask
  %good = icmp eq i32 %set, %mask
  %both = and i1 %right, %good
  br i1 %both, label %dimensions, label %no
dimensions:
  {_word("ndim", "%rule", 4, "i32")}
  {_at("nd", HEADER + 8, "i32")}
  %free = icmp eq i32 %ndim, {ANY}
  br i1 %free, label %yes, label %counted
counted:
  %as.many = icmp eq i32 %nd, %ndim
  br i1 %as.many, label %first, label %no
first:
  {_at("lengths", HEADER + 16, "ptr")}
  %none.left = icmp slt i32 %nd, 1
  br i1 %none.left, label %yes, label %look
look:
  {_word("one", "%rule", 5)}
  %fits.one = call i1 @length_fits(ptr %lengths, i64 0, i64 %one, ptr %sizes)
  br i1 %fits.one, label %second, label %no
second:
  %only = icmp slt i32 %nd, 2
  br i1 %only, label %yes, label %look.again
look.again:
  {_word("two", "%rule", 6)}
  %fits.two = call i1 @length_fits(ptr %lengths, i64 1, i64 %two, ptr %sizes)
  ret i1 %fits.two
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
"""Whether an object `o` follows a rule; `sizes` is the table of addresses of `m`, in which named lengths are found."""

GUARDED = f"""
define ptr @guarded(ptr %self, ptr %arguments, i64 %count, ptr %names) {{
entry:
  %place = call i64 @PyLong_AsLongLong(ptr %self)
  %table = inttoptr i64 %place to ptr
  {_word("least", "%table", 1)}
  {_word("most", "%table", 2)}
  %named = icmp ne ptr %names, null
  %few = icmp slt i64 %count, %least
  %many = icmp sgt i64 %count, %most
  %wrong.count = or i1 %few, %many
  %unusual = or i1 %named, %wrong.count
  br i1 %unusual, label %otherwise, label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %before = phi ptr [ null, %entry ], [ %sizes, %next ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %go, label %look
look:
  {_word("o", "%arguments", "%i", "ptr")}
  %i.words = mul i64 %i, {RULE_WORDS}
  %i.start = add i64 %i.words, {HEAD_WORDS}
  %rule = getelementptr i64, ptr %table, i64 %i.start
  %good = call i1 @fits(ptr %o, ptr %rule, ptr %table, ptr null)
  br i1 %good, label %fitting, label %otherwise
fitting:
  {_word("sized", "%rule", 7)}
  %has.sizes = icmp ne i64 %sized, 0
  br i1 %has.sizes, label %measure, label %next
measure:
  {_word("name", "%table", 7, "ptr")}
  %found = call ptr @PyObject_GetAttr(ptr %o, ptr %name)
  %missing = icmp eq ptr %found, null
  br i1 %missing, label %forget, label %compare
forget:
  call void @PyErr_Clear()
  br label %otherwise
compare:
  call void @Py_DecRef(ptr %found)
  %alone = icmp eq ptr %before, null
  %equal = icmp eq ptr %before, %found
  %same = or i1 %alone, %equal
  br i1 %same, label %next, label %otherwise
next:
  %sizes = phi ptr [ %before, %fitting ], [ %found, %compare ]
  %i.next = add i64 %i, 1
  br label %each
go:
  {_word("inner", "%table", 3, "ptr")}
  %result = call ptr @PyObject_Vectorcall(ptr %inner, ptr %arguments, i64 %count, ptr null)
  ret ptr %result
otherwise:
  {_word("fallback", "%table", 0, "ptr")}
  %other = call ptr @PyObject_Vectorcall(ptr %fallback, ptr %arguments, i64 %count, ptr %names)
  ret ptr %other
}}
"""
"""A Python function with its arguments checked: those with sizes must have the same ones."""

ENTERED = f"""
define internal i64 @address_of(ptr %o, ptr %name) {{
  %found = call ptr @PyObject_GetAttr(ptr %o, ptr %name)
  %missing = icmp eq ptr %found, null
  br i1 %missing, label %forget, label %read
forget:
  call void @PyErr_Clear()
  ret i64 0
read:
  %address = call i64 @PyLong_AsLongLong(ptr %found)
  call void @Py_DecRef(ptr %found)
  %bad = icmp eq i64 %address, -1
  br i1 %bad, label %forget, label %good
good:
  ret i64 %address
}}
define ptr @entered(ptr %self, ptr %arguments, i64 %count, ptr %names) {{
entry:
  %frame = alloca [256 x i64], align 64
  %place = call i64 @PyLong_AsLongLong(ptr %self)
  %table = inttoptr i64 %place to ptr
  {_word("most", "%table", 2)}
  {_word("structs", "%table", 8)}
  {_word("attribute", "%table", 7, "ptr")}
  %named = icmp ne ptr %names, null
  %other.count = icmp ne i64 %count, %most
  %unusual = or i1 %named, %other.count
  br i1 %unusual, label %otherwise, label %has.first
has.first:
  %any.struct = icmp sgt i64 %structs, 0
  br i1 %any.struct, label %first, label %each
first:
  {_word("s0", "%arguments", 0, "ptr")}
  %a0 = call i64 @address_of(ptr %s0, ptr %attribute)
  %lost0 = icmp eq i64 %a0, 0
  br i1 %lost0, label %otherwise, label %has.second
has.second:
  %two.structs = icmp sgt i64 %structs, 1
  br i1 %two.structs, label %second, label %each
second:
  {_word("s1", "%arguments", 1, "ptr")}
  %a1 = call i64 @address_of(ptr %s1, ptr %attribute)
  %lost1 = icmp eq i64 %a1, 0
  br i1 %lost1, label %otherwise, label %each
each:
  %m = phi i64 [ 0, %has.first ], [ %a0, %has.second ], [ %a0, %second ], [ %m, %next ]
  %d = phi i64 [ 0, %has.first ], [ 0, %has.second ], [ %a1, %second ], [ %d, %next ]
  %i = phi i64 [ 0, %has.first ], [ 0, %has.second ], [ 0, %second ], [ %i.next, %next ]
  %slot = phi i64 [ 0, %has.first ], [ 0, %has.second ], [ 0, %second ], [ %slot.next, %next ]
  %k = add i64 %i, %structs
  %done = icmp eq i64 %k, %count
  br i1 %done, label %go, label %look
look:
  {_word("o", "%arguments", "%k", "ptr")}
  %i.words = mul i64 %i, {RULE_WORDS}
  %i.start = add i64 %i.words, {HEAD_WORDS}
  %rule = getelementptr i64, ptr %table, i64 %i.start
  %sizes = inttoptr i64 %m to ptr
  %good = call i1 @fits(ptr %o, ptr %rule, ptr %table, ptr %sizes)
  br i1 %good, label %pack, label %otherwise
pack:
  %target = getelementptr i64, ptr %frame, i64 %slot
  {_word("kind", "%rule", 0)}
  switch i64 %kind, label %object [ i64 {REAL}, label %real  i64 {INTEGER}, label %integer  i64 {VALUE}, label %value ]
object:
  store ptr %o, ptr %target
  br label %packed
real:
  {_at("type", HEADER - 8, "ptr")}
  {_word("float", "%table", 6, "ptr")}
  %is.float = icmp eq ptr %type, %float
  br i1 %is.float, label %number, label %otherwise
number:
  %x = call double @PyFloat_AsDouble(ptr %o)
  store double %x, ptr %target
  br label %packed
integer:
  %n = call i64 @PyLong_AsLongLong(ptr %o)
  store i64 %n, ptr %target
  %doubtful = icmp eq i64 %n, -1
  br i1 %doubtful, label %ask, label %packed
ask:
  %error = call ptr @PyErr_Occurred()
  %failed = icmp ne ptr %error, null
  br i1 %failed, label %forget, label %packed
forget:
  call void @PyErr_Clear()
  br label %otherwise
value:
  {_at("numbers", HEADER, "ptr")}
  {_word("components", "%rule", 7)}
  %bytes = mul i64 %components, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %numbers, i64 %bytes, i1 false)
  br label %packed
packed:
  %step = phi i64 [ 1, %object ], [ 1, %number ], [ 1, %integer ], [ 1, %ask ], [ %components, %value ]
  %slot.next = add i64 %slot, %step
  br label %next
next:
  %i.next = add i64 %i, 1
  br label %each
go:
  {_word("function", "%table", 9, "ptr")}
  %where = ptrtoint ptr %frame to i64
  %thread = call ptr @PyEval_SaveThread()
  %answer = call i32 %function(i64 %m, i64 %d, i64 %where)
  call void @PyEval_RestoreThread(ptr %thread)
  %first.result = getelementptr i64, ptr %frame, i64 %slot
  {_word("results", "%table", 10)}
  {_word("result.kind", "%table", 11)}
  %several = icmp sgt i64 %results, 1
  br i1 %several, label %tuple, label %one
one:
  switch i64 %result.kind, label %nothing [ i64 {REAL}, label %gives.real  i64 {INTEGER}, label %gives.integer
    i64 {EXACT}, label %gives.bool ]
nothing:
  {_word("none", "%table", 4, "ptr")}
  call void @Py_IncRef(ptr %none)
  ret ptr %none
gives.real:
  %r = load double, ptr %first.result
  %real.object = call ptr @PyFloat_FromDouble(double %r)
  ret ptr %real.object
gives.integer:
  %whole = load i64, ptr %first.result
  %integer.object = call ptr @PyLong_FromLongLong(i64 %whole)
  ret ptr %integer.object
gives.bool:
  %bit = load i64, ptr %first.result
  %is.set = icmp ne i64 %bit, 0
  %flag = zext i1 %is.set to i64
  %bool.object = call ptr @PyBool_FromLong(i64 %flag)
  ret ptr %bool.object
tuple:
  %numbers.object = call ptr @PyTuple_New(i64 %results)
  %no.memory = icmp eq ptr %numbers.object, null
  br i1 %no.memory, label %out, label %fill
fill:
  %j = phi i64 [ 0, %tuple ], [ %j.next, %fill ]
  {_word("part", "%first.result", "%j", "double")}
  %part.object = call ptr @PyFloat_FromDouble(double %part)
  %set = call i32 @PyTuple_SetItem(ptr %numbers.object, i64 %j, ptr %part.object)
  %j.next = add i64 %j, 1
  %filled = icmp eq i64 %j.next, %results
  br i1 %filled, label %out, label %fill
out:
  ret ptr %numbers.object
otherwise:
  {_word("fallback", "%table", 0, "ptr")}
  %other = call ptr @PyObject_Vectorcall(ptr %fallback, ptr %arguments, i64 %count, ptr %names)
  ret ptr %other
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
"""A kernel with its arguments checked and packed into a frame; called without the GIL."""

GUARDS = _declarations() + FITS + GUARDED + ENTERED
