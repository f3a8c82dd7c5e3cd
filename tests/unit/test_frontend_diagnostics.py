"""The diagnostics of the affine text, whole: place, message, source line and caret."""
# ruff: noqa: E501 -- the texts stand as the user sees them.

from __future__ import annotations

import pytest

from polyir.base.diagnostics import InputSyntaxError
from polyir.frontend.parse import parse_module

# Each text, and what the user sees for it.
CASES = {
    "undefined_value": (
        ("func.func @f(%n: index) {\n  affine.for %i = 0 to %m {\n  }\n  return\n}\n"),
        (
            "in.mlir:2:24: error: use of the undefined value '%m'\n"
            "  affine.for %i = 0 to %m {\n"
            "                       ^"
        ),
    ),
    "redefinition": (
        ("func.func @f(%n: index) {\n  %n = arith.constant 0 : index\n  return\n}\n"),
        (
            "in.mlir:2:3: error: redefinition of the value '%n', defined in line 1\n"
            "  %n = arith.constant 0 : index\n"
            "  ^"
        ),
    ),
    "type_mismatch": (
        ("func.func @f(%x: f32, %y: f64) {\n  %z = arith.addf %x, %y : f64\n  return\n}\n"),
        (
            "in.mlir:2:19: error: type mismatch: '%x' has type f32, expected f64\n"
            "  %z = arith.addf %x, %y : f64\n"
            "                  ^"
        ),
    ),
    "product_of_variables": (
        (
            "func.func @f(%A: memref<?xf64>, %i: index, %j: index) {\n"
            "  %z = affine.load %A[%i * %j] : memref<?xf64>\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:2:28: error: expression is not affine: one factor of '*' must be a constant or a symbol\n"
            "  %z = affine.load %A[%i * %j] : memref<?xf64>\n"
            "                           ^"
        ),
    ),
    "missing_keyword": (
        ("func.func @f(%A: memref<?xf64>) {\n  affine.for %i = 0 100 {\n  }\n  return\n}\n"),
        (
            "in.mlir:2:21: error: unexpected '100', expected 'to'\n"
            "  affine.for %i = 0 100 {\n"
            "                    ^"
        ),
    ),
    "end_of_file": (
        ("func.func @f(%A: memref<?xf64>) {\n  affine.for %i = 0 to 100 {\n"),
        (
            "in.mlir:2:29: error: unexpected end of the file, expected an operation, a block label such as ^bb0 or '}'\n"
            "  affine.for %i = 0 to 100 {\n"
            "                            ^"
        ),
    ),
    "stray_character": (
        ("func.func @f() {\n  ` return\n}\n"),
        ("in.mlir:2:3: error: unexpected character '`'\n  ` return\n  ^"),
    ),
    "open_string": (
        ('func.func @f() attributes {a = "x} {\n  return\n}\n'),
        (
            "in.mlir:1:32: error: this string is not terminated on its line\n"
            'func.func @f() attributes {a = "x} {\n'
            "                               ^"
        ),
    ),
    "misspelt_operation": (
        ("func.func @f() {\n  affine.fro %i = 0 to 100 {\n  }\n  return\n}\n"),
        (
            "in.mlir:2:3: error: unknown operation 'affine.fro'; did you mean 'affine.for' or 'affine.if' or 'affine.load'?\n"
            "  affine.fro %i = 0 to 100 {\n"
            "  ^"
        ),
    ),
    "unknown_dialect": (
        ("func.func @f() {\n  foo.bar %i\n  return\n}\n"),
        ("in.mlir:2:3: error: unknown operation 'foo.bar'\n  foo.bar %i\n  ^"),
    ),
    "misspelt_terminator": (
        ("func.func @f() {\n  retrun\n}\n"),
        ("in.mlir:2:3: error: unknown operation 'retrun'; did you mean 'return'?\n  retrun\n  ^"),
    ),
    "wrong_number_of_subscripts": (
        (
            "func.func @f(%A: memref<?x?xf64>, %i: index) {\n"
            "  %z = affine.load %A[%i] : memref<?x?xf64>\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:2:23: error: expected 2 subscripts, one per dimension, found 1\n"
            "  %z = affine.load %A[%i] : memref<?x?xf64>\n"
            "                      ^"
        ),
    ),
    "unknown_type": (
        ("func.func @f(%A: memref<?x?xf63>) {\n  return\n}\n"),
        (
            "in.mlir:1:29: error: unexpected 'f63', expected a type or a dimension such as 4x\n"
            "func.func @f(%A: memref<?x?xf63>) {\n"
            "                            ^"
        ),
    ),
    "function_without_return": (
        ("func.func @f(%A: memref<?x?xf64>) {\n}\n"),
        (
            "in.mlir:1:1: error: 'func.func' op the function must end with 'return'\n"
            "func.func @f(%A: memref<?x?xf64>) {\n"
            "^"
        ),
    ),
    "wrong_return_type": (
        ("func.func @f(%A: f64) -> f32 {\n  return %A : f64\n}\n"),
        (
            "in.mlir:2:3: error: 'func.return' op expected arguments to have the same types as the function output types: expected [f32], got [f64]\n"
            "  return %A : f64\n"
            "  ^"
        ),
    ),
    "undefined_function": (
        ("func.func @f(%A: f64) {\n  call @g(%A) : (f64) -> ()\n  return\n}\n"),
        (
            "in.mlir:2:3: error: 'func.call' op '@g' could not be found in symbol table\n"
            "  call @g(%A) : (f64) -> ()\n"
            "  ^"
        ),
    ),
    "misspelt_operation_of_another_dialect": (
        (
            "func.func @f(%A: memref<8xf32>) {\n"
            "  %v = vector.broadcst %A : f32 to vector<4xf32>\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:2:8: error: unknown operation 'vector.broadcst'; did you mean 'vector.broadcast' or 'vector.load' or 'vector.bitcast'?\n"
            "  %v = vector.broadcst %A : f32 to vector<4xf32>\n"
            "       ^"
        ),
    ),
    "undefined_value_in_another_dialect": (
        (
            "func.func @f(%A: memref<8xf32>) {\n"
            "  %v = vector.broadcast %q : f32 to vector<4xf32>\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:2:25: error: use of the undefined value '%q'\n"
            "  %v = vector.broadcast %q : f32 to vector<4xf32>\n"
            "                        ^"
        ),
    ),
    "dialect_resources": (
        ("module {\n}\n{-#\n  dialect_resources: {}\n#-}\n"),
        ("in.mlir:3:1: error: dialect resources ({-# ... #-}) are not supported\n{-#\n^"),
    ),
    "step_of_zero": (
        ("func.func @f() {\n  affine.for %i = 0 to 10 step 0 {\n  }\n  return\n}\n"),
        (
            "in.mlir:2:32: error: expected a positive step\n"
            "  affine.for %i = 0 to 10 step 0 {\n"
            "                               ^"
        ),
    ),
    "undefined_alias": (
        (
            "func.func @f(%n: index) {\n"
            "  affine.for %i = 0 to #mpa(%n) {\n"
            "  }\n"
            "  return\n"
            "}\n"
            "#map = affine_map<(d0) -> (d0)>\n"
        ),
        (
            "in.mlir:2:24: error: undefined attribute alias '#mpa'; did you mean '#map'?\n"
            "  affine.for %i = 0 to #mpa(%n) {\n"
            "                       ^"
        ),
    ),
    "subscript_that_is_not_affine": (
        (
            "func.func @f(%n: index, %A: memref<8xf32>, %B: memref<8xi32>) {\n"
            "  affine.for %i = 0 to 10 {\n"
            "    %x = affine.load %B[%i] : memref<8xi32>\n"
            "    %k = arith.index_cast %x : i32 to index\n"
            "    %y = affine.load %A[%k] : memref<8xf32>\n"
            "  }\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:5:10: error: 'affine.load' op cannot use '%k' in an affine expression: it is neither a variable of an affine loop nor a constant of the function, and not computed from these by 'affine.apply'\n"
            "    %y = affine.load %A[%k] : memref<8xf32>\n"
            "         ^"
        ),
    ),
    "integer_out_of_range": (
        ("func.func @f() {\n %x = arith.constant 4294967296 : i32\n return\n}\n"),
        (
            "in.mlir:2:22: error: integer value 4294967296 is out of range for type i32 which supports values in the range [-2147483648, 4294967296)\n"
            " %x = arith.constant 4294967296 : i32\n"
            "                     ^"
        ),
    ),
    "dimension_out_of_range": (
        ("func.func @f(%A: memref<99999999999999999999999xf32>) {\n return\n}\n"),
        (
            "in.mlir:1:25: error: dimension does not fit into 64 bits\n"
            "func.func @f(%A: memref<99999999999999999999999xf32>) {\n"
            "                        ^"
        ),
    ),
    "float_for_integer": (
        ("func.func @f(%n: index) {\n  %x = arith.constant 1.5 : i32\n return\n}\n"),
        (
            "in.mlir:2:23: error: expected an integer, as the type is i32\n"
            "  %x = arith.constant 1.5 : i32\n"
            "                      ^"
        ),
    ),
    "unknown_predicate": (
        ("func.func @f(%n: index) {\n  %x = arith.cmpi lt, %n, %n : index\n return\n}\n"),
        (
            "in.mlir:2:19: error: unknown predicate 'lt' of 'arith.cmpi'; did you mean 'ult' or 'slt'?\n"
            "  %x = arith.cmpi lt, %n, %n : index\n"
            "                  ^"
        ),
    ),
    "missing_operand": (
        ("func.func @f(%n: index) {\n  %x = arith.addi %n : index\n return\n}\n"),
        (
            "in.mlir:2:19: error: expected 2 operands, found 1\n"
            "  %x = arith.addi %n : index\n"
            "                  ^"
        ),
    ),
    "wrong_number_of_results": (
        ("func.func @f(%n: index) {\n  %x:2 = arith.addi %n, %n : index\n return\n}\n"),
        (
            "in.mlir:2:3: error: 'arith.addi' has 1 result, 2 named here\n"
            "  %x:2 = arith.addi %n, %n : index\n"
            "  ^"
        ),
    ),
    "caret_after_tab": (
        ("func.func @f(%n: index) {\n\t%x = arith.addi %n, %m : index\n return\n}\n"),
        (
            "in.mlir:2:22: error: use of the undefined value '%m'\n"
            "\t%x = arith.addi %n, %m : index\n"
            "\t                    ^"
        ),
    ),
    "value_of_another_region": (
        (
            "func.func @f(%n: index) {\n"
            "  affine.for %i = 0 to 4 {\n"
            "    %x = arith.addi %i, %i : index\n"
            "  }\n"
            "  %y = arith.addi %x, %n : index\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:5:19: error: use of the undefined value '%x'\n"
            "  %y = arith.addi %x, %n : index\n"
            "                  ^"
        ),
    ),
    "generic_form_that_does_not_verify": (
        ('func.func @f(%n: index) {\n  %x = "arith.addi"(%n) : (index) -> index\n return\n}\n'),
        (
            "in.mlir:2:8: error: 'arith.addi' op expected 2 operands, but got 1\n"
            '  %x = "arith.addi"(%n) : (index) -> index\n'
            "       ^"
        ),
    ),
    "generic_form_of_unknown_operation": (
        ('func.func @f(%n: index) {\n  %x = "arith.adi"(%n) : (index) -> index\n return\n}\n'),
        (
            "in.mlir:2:8: error: unknown operation 'arith.adi'; did you mean 'arith.andi' or 'arith.addi' or 'arith.divf'?\n"
            '  %x = "arith.adi"(%n) : (index) -> index\n'
            "       ^"
        ),
    ),
    "generic_access_without_operands": (
        (
            "func.func @f(%n: memref<4xf32>) {\n"
            '  %x = "affine.load"(%n) <{map = affine_map<(d0) -> (d0)>}> : (memref<4xf32>) -> f32\n'
            " return\n"
            "}\n"
        ),
        (
            "in.mlir:2:8: error: 'affine.load' op expected 1 map operand, found 0\n"
            '  %x = "affine.load"(%n) <{map = affine_map<(d0) -> (d0)>}> : (memref<4xf32>) -> f32\n'
            "       ^"
        ),
    ),
    "unknown_attribute": (
        ("#x = #foo.bar<abc>\nfunc.func @f() attributes {a = #x} {\n return\n}\n"),
        (
            "in.mlir:1:6: error: 'foo.bar' is not registered in '#foo.bar<abc>'\n"
            "#x = #foo.bar<abc>\n"
            "     ^"
        ),
    ),
    "wrong_yield_type": (
        (
            "func.func @f(%z: f64) {\n"
            "  %r = affine.for %i = 0 to 4 iter_args(%a = %z) -> (f64) {\n"
            "    affine.yield %i : index\n"
            "  }\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:3:5: error: type mismatch: the enclosing operation has results of type (f64), but the yielded values have type (index)\n"
            "    affine.yield %i : index\n"
            "    ^"
        ),
    ),
    "wrong_extremum": (
        (
            "func.func @f(%z: index) {\n"
            "  affine.for %i = min affine_map<(d0) -> (d0, 0)>(%z) to 4 {\n"
            "  }\n"
            "  return\n"
            "}\n"
        ),
        (
            "in.mlir:2:19: error: expected 'max' before the map of this bound\n"
            "  affine.for %i = min affine_map<(d0) -> (d0, 0)>(%z) to 4 {\n"
            "                  ^"
        ),
    ),
    "operation_after_return": (
        ("func.func @f() {\n  return\n  %x = arith.constant 0 : index\n}\n"),
        (
            "in.mlir:3:6: error: unexpected '=', expected ',' or ':'\n"
            "  %x = arith.constant 0 : index\n"
            "     ^"
        ),
    ),
}


@pytest.mark.parametrize(("text", "diagnostic"), CASES.values(), ids=CASES.keys())
def test_diagnostic(text: str, diagnostic: str) -> None:
    with pytest.raises(InputSyntaxError) as caught:
        parse_module(text, "in.mlir")
    message, *shown = diagnostic.split("\n")
    assert caught.value.render().split("\n") == [f"{message} [syntax]", *shown]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("".join(f"affine.for %i{n} = 0 to 1 {{\n" for n in range(300)), "end of the file"),
        (
            "".join(f"affine.for %i{n} = 0 to 1 {{\n" for n in range(300)) + "}\n" * 300,
            "nested more than 64 levels",
        ),
        (f"#m = affine_map<(d0) -> ({'-' * 5000}d0)>", "nested too deeply"),
        (f"module attributes {{a = {'[' * 5000}{']' * 5000}}} {{}}", "nested too deeply"),
        (f"module attributes {{a = {'9' * 5000}}} {{}}", "integer literal is too large"),
        ('func.func @f() {\n  cf.br ^bb1\n^bb1:\n  %x ="' + "long " * 500, "string literal"),
    ],
    ids=["open loops", "loops", "expression", "array", "integer", "open string"],
)
def test_what_is_too_large_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputSyntaxError, match=message):
        parse_module(text)


def test_line_offset_moves_the_location_and_not_the_source_line() -> None:
    with pytest.raises(InputSyntaxError) as caught:
        parse_module("module {\n  %x = foo\n}\n", "in.mlir", line_offset=10)
    assert caught.value.render().startswith("in.mlir:12:8: error: ")
    assert "  %x = foo\n       ^" in caught.value.render()
