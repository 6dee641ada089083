#include "CTOML.h"

// Debian's package also has a shared library. With the headers alone, the program depends on no
// library.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0

// toml++ 3.3 asserts that a key begins like a key and a time with a digit before it checks this and
// reports an error (https://github.com/marzer/tomlplusplus/pull/301): the text `[=` would abort the
// process. Defining NDEBUG does not help: the compiler would assume that the assertions hold, and
// remove the checks.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)

#if !__has_include(<toml++/toml.h>)
#error "install the Debian package libtomlplusplus-dev"
#endif
#include <toml++/toml.h>

#include <string>
#include <vector>

struct NJTOMLDocument {
  toml::table table;
  std::vector<NJTOMLItem> items;
  bool isWrong = false;
  std::string error;
  toml::source_position errorPosition;
};

static NJTOMLKind kind(const toml::node &node) {
  switch (node.type()) {
  case toml::node_type::table: return NJTOMLTable;
  case toml::node_type::array: return NJTOMLArray;
  case toml::node_type::string: return NJTOMLString;
  case toml::node_type::integer: return NJTOMLInteger;
  case toml::node_type::floating_point: return NJTOMLFloat;
  case toml::node_type::boolean: return NJTOMLBoolean;
  default: return NJTOMLDate;
  }
}

// toml++ limits the depth to TOML_MAX_NESTED_VALUES, 256.
static void append(NJTOMLDocument &document, const toml::node &node, const toml::key *key) {
  const auto position = key ? key->source().begin : node.source().begin;
  NJTOMLItem item = {};
  item.kind = kind(node);
  item.line = position.line;
  item.column = position.column;
  if (key) {
    item.key = key->str().data();
    item.keyBytes = key->str().size();
  }
  if (const auto *string = node.as_string()) {
    item.text = string->get().data();
    item.textBytes = string->get().size();
  } else if (const auto *integer = node.as_integer()) {
    item.integer = integer->get();
  } else if (const auto *boolean = node.as_boolean()) {
    item.integer = boolean->get();
  } else if (const auto *number = node.as_floating_point()) {
    item.number = number->get();
  }
  if (const auto *table = node.as_table()) {
    item.count = table->size();
    document.items.push_back(item);
    for (auto &&[name, value] : *table) append(document, value, &name);
  } else if (const auto *array = node.as_array()) {
    item.count = array->size();
    document.items.push_back(item);
    for (auto &&value : *array) append(document, value, nullptr);
  } else {
    document.items.push_back(item);
  }
}

NJTOMLDocument *nj_toml_parse(const char *text, size_t bytes) {
  auto *document = new NJTOMLDocument();
  auto result = toml::parse(std::string_view(text, bytes));
  if (result) {
    document->table = std::move(result).table();
    append(*document, document->table, nullptr);
  } else {
    document->isWrong = true;
    document->error = result.error().description();
    document->errorPosition = result.error().source().begin;
  }
  return document;
}

void nj_toml_free(NJTOMLDocument *document) { delete document; }

const char *nj_toml_error(const NJTOMLDocument *document, uint32_t *line, uint32_t *column) {
  if (!document->isWrong) return nullptr;
  *line = document->errorPosition.line;
  *column = document->errorPosition.column;
  return document->error.c_str();
}

const NJTOMLItem *nj_toml_items(const NJTOMLDocument *document, size_t *count) {
  *count = document->items.size();
  return document->items.data();
}
