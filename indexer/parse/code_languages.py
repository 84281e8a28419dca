"""What a definition is in each language, as queries over the syntax trees of its tree-sitter grammar.

The captures: ``@def`` something with a body, ``@type`` a type, ``@sign`` a declaration without a
body, ``@holder`` what has members (class, namespace, impl), ``@object`` a literal that may have
some, ``@wrap`` what stands around exactly one definition and belongs to it (decorators, export),
``@note`` comments and attributes, ``@scope`` a namespace that holds for the rest of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Language(NamedTuple):
    """A grammar (module and the function that gives it) and the query for its definitions."""

    module: str
    query: str
    function: str = "language"


PYTHON = """
(function_definition) @def (class_definition) @holder (decorated_definition) @wrap (comment) @note
"""
_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
# A function handed through another one keeps the name: const Card = memo(() => ...).
_NAMED = f"(variable_declarator name: (identifier) value: [{_FUNCTION} (call_expression arguments: (arguments . {_FUNCTION}))])"
_CLASS = "(variable_declarator name: (identifier) value: (class))"
_OBJECT = "(variable_declarator name: (identifier) value: (object))"
_ASSIGNED = f"(assignment_expression left: [(identifier) (member_expression)] right: {_FUNCTION})"
_ASSIGNED_CLASS = "(assignment_expression left: [(identifier) (member_expression)] right: (class))"
_DECLARED = "(function_declaration) (generator_function_declaration) (class_declaration)"
_BOUND = f"[(lexical_declaration [{_NAMED} {_CLASS} {_OBJECT}]) (variable_declaration [{_NAMED} {_CLASS} {_OBJECT}])]"
JAVASCRIPT = f"""
(function_declaration) @def (generator_function_declaration) @def (class_declaration) @holder (method_definition) @def
{_NAMED} @def {_CLASS} @holder {_OBJECT} @object {_ASSIGNED} @def {_ASSIGNED_CLASS} @holder
(pair value: {_FUNCTION}) @def (pair value: (object)) @object
(export_statement value: [(function_expression) (arrow_function)] @def) @wrap
(export_statement value: (class) @holder) @wrap
(export_statement declaration: [{_DECLARED} {_BOUND}]) @wrap {_BOUND} @wrap
(expression_statement [{_ASSIGNED} {_ASSIGNED_CLASS}]) @wrap (comment) @note
"""
_TYPED = "(interface_declaration) (type_alias_declaration) (enum_declaration) (abstract_class_declaration)"
TYPESCRIPT = f"""
{JAVASCRIPT}
(interface_declaration) @holder (type_alias_declaration) @type (enum_declaration) @type
(abstract_class_declaration) @holder (internal_module) @holder (module) @holder
(function_signature) @sign (method_signature) @sign (abstract_method_signature) @sign
(public_field_definition value: {_FUNCTION}) @def
(expression_statement (internal_module)) @wrap
(export_statement declaration: [{_TYPED} (function_signature) (internal_module)]) @wrap
(ambient_declaration [{_DECLARED} {_TYPED} (function_signature) (module) (internal_module)]) @wrap
(export_statement declaration: (ambient_declaration [{_DECLARED} {_TYPED} (function_signature) (module)])) @wrap
"""
GO = """
(function_declaration) @def (method_declaration) @def (type_spec) @type (type_alias) @type
(type_declaration . "type" . [(type_spec) (type_alias)]) @wrap (comment) @note
"""
JAVA = """
(class_declaration) @holder (interface_declaration) @holder (enum_declaration) @holder (record_declaration) @holder
(annotation_type_declaration) @holder (constructor_declaration) @def (compact_constructor_declaration) @def
(method_declaration body: (_)) @def (method_declaration !body) @sign (annotation_type_element_declaration) @sign
(line_comment) @note (block_comment) @note
"""
RUST = """
(function_item) @def (macro_definition) @def (function_signature_item) @sign
(struct_item) @type (enum_item) @type (union_item) @type (type_item) @type
(trait_item) @holder (impl_item) @holder (mod_item body: (_)) @holder
(line_comment) @note (block_comment) @note (attribute_item) @note
"""
_POINTED = "(pointer_declarator declarator: (function_declarator))"
C = f"""
(function_definition) @def (preproc_function_def) @type (type_definition) @type
(declaration declarator: [(function_declarator) {_POINTED}]) @sign
(enum_specifier name: (_) body: (_)) @type (union_specifier name: (_) body: (_)) @type (comment) @note
"""
_MEMBERS = "(class_specifier name: (_) body: (_)) (struct_specifier name: (_) body: (_))"
CPP = f"""
{C} [{_MEMBERS}] @holder (namespace_definition) @holder
(template_declaration [(function_definition) {_MEMBERS} (alias_declaration) (concept_definition)]) @wrap
(field_declaration declarator: [(function_declarator) {_POINTED} (reference_declarator (function_declarator))]) @sign
(alias_declaration) @type (concept_definition) @type
"""
CSHARP = """
(namespace_declaration) @holder (file_scoped_namespace_declaration) @scope
(class_declaration) @holder (interface_declaration) @holder (struct_declaration) @holder (record_declaration) @holder
(enum_declaration) @type (delegate_declaration) @type (constructor_declaration) @def (destructor_declaration) @def
(operator_declaration) @def (conversion_operator_declaration) @def (indexer_declaration) @def (property_declaration) @def
(event_declaration) @def (local_function_statement) @def
(method_declaration body: (_)) @def (method_declaration !body) @sign (comment) @note
"""
RUBY = """
(module) @holder (class) @holder (method) @def (singleton_method) @def (comment) @note
"""
PHP = """
(namespace_definition body: (_)) @holder (namespace_definition !body) @scope
(class_declaration) @holder (interface_declaration) @holder (trait_declaration) @holder (enum_declaration) @holder
(function_definition) @def (method_declaration body: (_)) @def (method_declaration !body) @sign (comment) @note
"""
BASH = "(function_definition) @def (comment) @note"
KOTLIN = """
(class_declaration) @holder (object_declaration) @holder (companion_object) @holder (function_declaration) @def
(secondary_constructor) @def (type_alias) @type (line_comment) @note (block_comment) @note
"""
SWIFT = """
(class_declaration) @holder (protocol_declaration) @holder (function_declaration) @def (init_declaration) @def
(deinit_declaration) @def (subscript_declaration) @def (protocol_function_declaration) @sign
(typealias_declaration) @type (comment) @note (multiline_comment) @note
"""
SCALA = """
(object_definition) @holder (class_definition) @holder (trait_definition) @holder (enum_definition) @holder
(function_definition) @def (function_declaration) @sign (type_definition) @type (comment) @note (block_comment) @note
"""
LUA = """
(function_declaration) @def (assignment_statement (expression_list value: (function_definition))) @def
(variable_declaration (assignment_statement (expression_list value: (function_definition)))) @wrap (comment) @note
"""

LANGUAGES: Mapping[str, Language] = {
    "python": Language("tree_sitter_python", PYTHON),
    "javascript": Language("tree_sitter_javascript", f"{JAVASCRIPT} (field_definition value: {_FUNCTION}) @def"),
    "typescript": Language("tree_sitter_typescript", TYPESCRIPT, "language_typescript"),
    "tsx": Language("tree_sitter_typescript", TYPESCRIPT, "language_tsx"),
    "go": Language("tree_sitter_go", GO),
    "java": Language("tree_sitter_java", JAVA),
    "rust": Language("tree_sitter_rust", RUST),
    "c": Language("tree_sitter_c", C + "(struct_specifier name: (_) body: (_)) @type"),
    "cpp": Language("tree_sitter_cpp", CPP),
    "csharp": Language("tree_sitter_c_sharp", CSHARP),
    "ruby": Language("tree_sitter_ruby", RUBY),
    "php": Language("tree_sitter_php", PHP, "language_php"),
    "bash": Language("tree_sitter_bash", BASH),
    "kotlin": Language("tree_sitter_kotlin", KOTLIN),
    "swift": Language("tree_sitter_swift", SWIFT),
    "scala": Language("tree_sitter_scala", SCALA),
    "lua": Language("tree_sitter_lua", LUA),
}
